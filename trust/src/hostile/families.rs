//! Constructs × bodies: every way in which Python calls code without a call in sight, and everything hostile that such code
//! can do. Each is hung before a method of a right solution.

use super::{Must, Program};

/// A way to come to `body()`: its name, what it defines, and the expression that starts it.
const CONSTRUCTS: &[(&str, &str, &str)] = &[
    ("call", "", "body()"),
    ("getattr", "class A:\n    def __getattr__(self, name): return body()\n", "A().x"),
    ("setattr", "class A:\n    def __setattr__(self, name, value): body()\n", "setattr(A(), 'x', 1)"),
    ("eq", "class A:\n    def __eq__(self, other): return body()\n", "A() == 1"),
    ("eq_in_list", "class A:\n    def __eq__(self, other): return body()\n", "[1, 2].count(A())"),
    ("lt_in_sort", "class A:\n    def __lt__(self, other): return body()\n", "sorted([A(), A()])"),
    ("sort_key", "", "sorted([2, 1], key=lambda _: body())"),
    ("format", "class A:\n    def __format__(self, spec): return body()\n", "f'{A()}'"),
    ("repr", "class A:\n    def __repr__(self): return body()\n", "repr([A()])"),
    ("hash", "class A:\n    def __hash__(self): return body()\n", "{A(): 1}"),
    ("bool", "class A:\n    def __bool__(self): return body()\n", "not A()"),
    ("len", "class A:\n    def __len__(self): return body()\n", "len(A())"),
    ("iter", "class A:\n    def __iter__(self):\n        yield body()\n", "list(A())"),
    ("getitem", "class A:\n    def __getitem__(self, i): return body()\n", "list(A())"),
    ("contains", "class A:\n    def __contains__(self, x): return body()\n", "1 in A()"),
    ("add", "class A:\n    def __add__(self, other): return body()\n", "A() + A()"),
    ("index", "class A:\n    def __index__(self): return body()\n", "[1][A()]"),
    ("descriptor", "class D:\n    def __get__(self, it, owner): return body()\nclass A:\n    x = D()\n", "A().x"),
    ("property", "class A:\n    @property\n    def x(self): return body()\n", "A().x"),
    ("metaclass_call", "class M(type):\n    def __call__(cls): return body()\nclass A(metaclass=M): pass\n", "A()"),
    (
        "metaclass_instancecheck",
        "class M(type):\n    def __instancecheck__(cls, it): return body()\nclass A(metaclass=M): pass\n",
        "isinstance(1, A)",
    ),
    ("init_subclass", "class A:\n    def __init_subclass__(cls): body()\n", "type('B', (A,), {})"),
    ("new", "class A:\n    def __new__(cls): return body()\n", "A()"),
    (
        "context",
        "class A:\n    def __enter__(self): pass\n    def __exit__(self, *exc): return body()\ndef enter():\n    with A(): pass\n",
        "enter()",
    ),
    (
        "generator_close",
        "def g():\n    try:\n        yield 1\n    finally:\n        body()\ndef close():\n    it = g()\n    next(it)\n    it.close()\n",
        "close()",
    ),
    ("map", "", "list(map(lambda _: body(), [1]))"),
    ("reduce", "", "functools.reduce(lambda a, b: body(), [1, 2])"),
    ("exec", "", "exec('body()', globals())"),
    ("lru_cache", "@functools.lru_cache\ndef cached(n): return body()\n", "cached(1)"),
    ("finalizer", "class A:\n    def __del__(self): body()\n", "A()"),
    (
        "weakref",
        "class A: pass\ndef drop():\n    a = A()\n    r = weakref.ref(a, lambda _: body())\n    del a\n",
        "drop()",
    ),
];

/// Where Python reports an exception and goes on.
const SWALLOWING: &[&str] = &["finalizer", "weakref"];

/// What the code does: its name, the lines of `body`, what a verdict must say, and whether it is an exception that can be
/// swallowed.
const BODIES: &[(&str, &str, &str, bool)] = &[
    ("while", "while True: pass", "stopped", false),
    ("for", "for i in itertools.count(): pass", "stopped", false),
    ("comprehension", "return [i for i in itertools.cycle([1])]", "stopped", false),
    ("native_sum", "return sum(itertools.count())", "stopped", false),
    (
        "swallowing",
        "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
        "stopped",
        false,
    ),
    (
        "growing",
        "grown = []\n    while True: grown.append('x' * 1_000_000 + str(len(grown)))",
        "too much memory",
        false,
    ),
    ("recursion", "return body() + 1", "RecursionError", true),
    ("power", "return 10 ** 10 ** 8", "MemoryError", true),
    ("repetition", "return [0] * 10 ** 9", "MemoryError", true),
];

/// A kata, the class and the method before which the hostile part is hung, and whether that is a coroutine function.
const PLACES: &[(&str, &str, &str, bool)] = &[
    ("acquire-with-fencing", "LockManager", "acquire", false),
    ("compare-and-delete", "LockService", "acquire", false),
    ("storage-gate", "FencedStore", "write", true),
    ("retry-with-jitter", "Acquirer", "acquire", true),
];

pub(super) fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for (c, (construct, defines, starts)) in CONSTRUCTS.iter().enumerate() {
        for (b, (body, lines, says, is_exception)) in BODIES.iter().enumerate() {
            // Each pair once, the katas in turn: the slower ones less often.
            let place = match (c + b) % 8 {
                1 => PLACES[1],
                3 => PLACES[2],
                5 => PLACES[3],
                _ => PLACES[0],
            };
            let hostile = format!("{defines}def body():\n    {lines}\ndef hostile():\n    {starts}\n");
            let swallowed = *is_exception && SWALLOWING.contains(construct);
            let must = if swallowed { Must::End } else { Must::Fail { line: true, says: (*says).to_owned() } };
            programs.push(Program {
                name: format!("{construct} × {body}"),
                family: "constructs",
                kata: place.0,
                source: hung(place, &hostile),
                must,
                needs_the_watcher: false,
            });
        }
    }
    programs
}

/// The kata's solution, with a call of `hostile()` before its method.
pub(super) fn hung((kata, class, method, is_async): (&str, &str, &str, bool), hostile: &str) -> String {
    let solution = leasehold_exercises::solution(kata).unwrap_or_default();
    let (define, wait) = if is_async { ("async def", "await ") } else { ("def", "") };
    format!(
        "{solution}\nimport functools, itertools, weakref\n{hostile}original = {class}.{method}\n\
         {define} hung(self, *args, **options):\n    hostile()\n    return {wait}original(self, *args, **options)\n\
         {class}.{method} = hung\n"
    )
}
