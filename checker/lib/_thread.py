"""What the library asks of threads, where there is one."""


class RLock:
    def acquire(self, blocking=True, timeout=-1):
        return True

    def release(self):
        pass

    def __enter__(self):
        return True

    def __exit__(self, *exc):
        pass


allocate_lock = LockType = RLock


def get_ident():
    return 1
