//! Cheats × wrong locks: code that reaches for what judges it, put behind (or before) a lock that is wrong. However it
//! reaches, the test that kills the lock must not pass.

use super::{Must, Program};

/// The wrong locks: a kata and one of its wrong solutions.
const WRONG: &[(&str, &str)] = &[
    ("acquire-with-fencing", "wrong/never_expires.py"),
    ("compare-and-delete", "wrong/renew_by_anyone.py"),
    ("renewal-daemon", "wrong/never_gives_up_on_errors.py"),
    ("storage-gate", "wrong/stale_is_swallowed.py"),
];

/// A cheat: its name, and its lines. They stand behind the lock.
const CHEATS: &[(&str, &str)] = &[
    (
        "builtins_patched",
        "for name in list(__builtins__):\n    if name not in ('__build_class__', '__import__', '__name__'):\n        __builtins__[name] = lambda *a, **k: True\n",
    ),
    ("len_and_print", "len = print = dict = isinstance = lambda *a, **k: True\n"),
    ("exceptions_renamed", "AssertionError = Exception = BaseException = ValueError = type('E', (), {})\n"),
    (
        "frames_upwards",
        "import sys\ndef walk():\n    found = []\n    frame = sys._getframe()\n    while frame is not None:\n        try:\n            frame.f_globals.clear()\n        except Exception: pass\n        try:\n            frame = frame.f_back\n        except Exception: break\nwalk()\n",
    ),
    (
        "frames_of_a_traceback",
        "def walk():\n    try:\n        raise KeyError\n    except KeyError as e:\n        t = e.__traceback__\n        while t is not None:\n            for name in ('f_globals', 'f_locals', 'f_back', 'f_builtins'):\n                try: getattr(t.tb_frame, name).clear()\n                except Exception: pass\n            t = t.tb_next\nwalk()\n",
    ),
    (
        "settrace",
        "import sys\ntry: sys.settrace(lambda *a: None)\nexcept Exception: pass\ntry: sys.setprofile(lambda *a: None)\nexcept Exception: pass\n",
    ),
    ("recursion_limit", "import sys\nsys.setrecursionlimit(10**9)\nsys.set_int_max_str_digits(0)\n"),
    (
        "garbage_collector",
        "try:\n    import gc\n    for it in gc.get_objects():\n        try: it.clear()\n        except Exception: pass\nexcept ImportError: pass\n",
    ),
    (
        "modules_table",
        "import sys\nfor name in ('_leasehold', 'leasehold', 'driver', 'solution', 'builtins', 'sys', 'random'):\n    try: sys.modules[name] = None\n    except Exception: pass\n    try: sys.modules.get(name).__dict__.clear()\n    except Exception: pass\n",
    ),
    (
        "library_patched",
        "import leasehold, random, time, uuid, sys\nfor module in (leasehold, random, time, uuid, sys):\n    for name in dir(module):\n        try: setattr(module, name, lambda *a, **k: None)\n        except Exception: pass\n",
    ),
    (
        "library_classes_patched",
        "import leasehold\nfor name in dir(leasehold):\n    it = getattr(leasehold, name)\n    if isinstance(it, type):\n        for method in list(vars(it)):\n            for way in (setattr, type.__setattr__):\n                try: way(it, method, lambda *a, **k: None)\n                except Exception: pass\n",
    ),
    (
        "bases_changed",
        "import leasehold\nfor name in dir(leasehold):\n    it = getattr(leasehold, name)\n    if isinstance(it, type):\n        try: it.__bases__ = (dict,)\n        except Exception: pass\n",
    ),
    (
        "class_of_self",
        "class Always:\n    def __eq__(self, other): return True\n    def __bool__(self): return True\n    def __getattr__(self, name): return lambda *a, **k: True\nfor it in list(globals().values()):\n    try: it.__class__ = Always\n    except Exception: pass\n",
    ),
    (
        "subclasses",
        "for it in object.__subclasses__():\n    for name in ('__init__', '__call__', '__eq__'):\n        try: setattr(it, name, lambda *a, **k: True)\n        except Exception: pass\n",
    ),
    (
        "all_subclasses_called",
        "def walk(it, depth=0):\n    for sub in type.__subclasses__(it)[:200]:\n        try: sub.outcome = 'passed'\n        except Exception: pass\n        if depth < 3: walk(sub, depth + 1)\nwalk(object)\n",
    ),
    (
        "globals_of_functions",
        "import leasehold\nfor it in (leasehold.spawn, leasehold.current_task, leasehold.Signal.wait, leasehold.Clock.sleep):\n    for name in ('__globals__', '__builtins__', '__closure__', '__code__', '__defaults__', '__kwdefaults__', '__dict__'):\n        try: getattr(it, name).clear()\n        except Exception: pass\n        try: setattr(it, name, None)\n        except Exception: pass\n",
    ),
    (
        "self_of_natives",
        "for it in (print, len, exec, eval, compile, __import__):\n    try: it.__self__.__dict__.clear()\n    except Exception: pass\n",
    ),
    (
        "codes_swapped",
        "import leasehold\ndef nothing(*a, **k): return None\nfor it in (leasehold.spawn, leasehold.Signal.set, leasehold.Clock.sleep):\n    try: it.__code__ = nothing.__code__\n    except Exception: pass\n",
    ),
    ("exits", "import sys\nimport leasehold\ndef leave(*a, **k): sys.exit(0)\n__builtins__['len'] = leave\n"),
    (
        "private_modules",
        "for name in ('_leasehold', '_leasehold_driver', '_thread', 'os', 'ctypes', 'builtins', 'marshal', '_imp', 'importlib'):\n    try: __import__(name)\n    except ImportError: pass\n",
    ),
    (
        "a_tick_of_its_own",
        "fake = '\u{e000}tick\u{e000}'\nother = '\u{e000}tick\u{e000}3'\ntry: fake()\nexcept Exception: pass\n",
    ),
    (
        "weak_references",
        "import weakref\nfor it in list(globals().values()):\n    try:\n        for r in weakref.getweakrefs(it): r().clear()\n    except Exception: pass\n",
    ),
    (
        "unraisable_hook",
        "import sys\ntry:\n    sys.unraisablehook = lambda *a: None\n    sys.excepthook = lambda *a: None\n    sys.__dict__.clear()\nexcept Exception: pass\n",
    ),
    (
        "names_of_the_driver",
        "passed = ok = verdict = outcome = note = _note = True\n_leasehold = driver = judge = check = type('Yes', (), {'__getattr__': lambda s, n: lambda *a, **k: True})()\n",
    ),
    (
        "name_forged",
        "__name__ = 'driver'\n__file__ = '<driver>'\n__package__ = 'leasehold'\nglobals()['__spec__'] = None\n",
    ),
    (
        "super_truth",
        "class Yes(int):\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    def __lt__(self, other): return True\n    __le__ = __gt__ = __ge__ = __lt__\n    __hash__ = int.__hash__\nint = Yes\nfloat = Yes\nbool = Yes\n",
    ),
    (
        "exec_without_builtins",
        "try: exec('x = 1', {'__builtins__': {}})\nexcept Exception: pass\n__builtins__.pop('__build_class__', None)\n",
    ),
    (
        "native_slots",
        "for kind in (int, str, list, dict, tuple, type(print), type(walk) if 'walk' in globals() else type(lambda: 0)):\n    for name in ('__mul__', '__eq__', '__getattribute__', '__hash__', '__call__'):\n        try: setattr(kind, name, lambda *a: True)\n        except Exception: pass\n        try: delattr(kind, name)\n        except Exception: pass\n",
    ),
];

/// Cheats on one kata: what an object that the driver hands out lets itself be told.
const ON_ONE: &[(&str, &str, &str, &str)] = &[
    (
        "deadline_of_the_service",
        "renewal-daemon",
        "wrong/never_gives_up_on_errors.py",
        "import types\nolder = Renewer.__init__\ndef init(self, service, clock, grant, asked_at, on_lost):\n    older(self, service, clock, grant, asked_at, on_lost)\n    for it in (service, clock, grant, on_lost):\n        for name in ('deadline', 'ttl', '_deadline', 'expires_at', 'calls', 'renewed', 'lost', 'told', '__class__'):\n            for value in (1e300, None, type(self)):\n                try: setattr(it, name, value)\n                except Exception: pass\n        try:\n            for name in list(vars(it)):\n                setattr(it, name, 1e300)\n        except Exception: pass\nRenewer.__init__ = init\n",
    ),
    (
        "what_the_callback_is_bound_to",
        "renewal-daemon",
        "wrong/never_gives_up_on_errors.py",
        "older = Renewer.__init__\ndef init(self, service, clock, grant, asked_at, on_lost):\n    older(self, service, clock, grant, asked_at, on_lost)\n    for name in ('__self__', '__closure__', '__func__', '__globals__', '__wrapped__'):\n        try: getattr(on_lost, name).__dict__.clear()\n        except Exception: pass\n        try: getattr(on_lost, name)[0].cell_contents.clear()\n        except Exception: pass\nRenewer.__init__ = init\n",
    ),
    (
        "what_the_store_is_made_of",
        "storage-gate",
        "wrong/stale_is_swallowed.py",
        "older = FencedStore.__init__\ndef init(self, db):\n    older(self, db)\n    for name in dir(db):\n        if not name.startswith('__'):\n            try: setattr(db, name, lambda *a, **k: None)\n            except Exception: pass\n    try: db.__class__ = type('Db', (), {})\n    except Exception: pass\nFencedStore.__init__ = init\n",
    ),
    (
        "the_clock_patched",
        "acquire-with-fencing",
        "wrong/never_expires.py",
        "older = LockManager.__init__\ndef init(self, clock):\n    older(self, clock)\n    for name in ('__call__', '__self__', '__func__', '__closure__', 'now', '__class__', '__dict__'):\n        try: setattr(clock, name, lambda *a: 0.0)\n        except Exception: pass\nLockManager.__init__ = init\n",
    ),
];

pub(super) fn programs() -> Vec<Program> {
    let everywhere =
        WRONG.iter().flat_map(|(kata, file)| CHEATS.iter().map(move |(name, lines)| (name, kata, file, lines)));
    let on_one = ON_ONE.iter().map(|(name, kata, file, lines)| (name, kata, file, lines));
    everywhere.chain(on_one).map(|(name, kata, file, lines)| attached(name, kata, file, lines)).collect()
}

fn attached(name: &str, kata: &'static str, file: &str, lines: &str) -> Program {
    let wrong = leasehold_exercises::wrong(kata).iter().find(|wrong| wrong.file == file);
    let wrong = wrong.unwrap_or_else(|| panic!("{kata} has no {file}"));
    let test = wrong.killed_by.unwrap_or_default().to_owned();
    Program {
        name: format!("{name} on {kata}/{file}"),
        family: "cheats",
        kata,
        source: format!("{}\n{lines}", wrong.source),
        must: Must::NotPass { test },
        needs_the_watcher: false,
    }
}
