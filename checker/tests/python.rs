//! The rules of the Python host: what learner code may do, what it is told otherwise, and that it always ends.

use leasehold_checker::python::{self, Arg, Module, Problem, ProblemKind, Python, Value};

fn run(py: &Python<'_>, source: &str) -> Result<Module, Problem> {
    py.compile(source)?.run(py)
}

/// Runs the file, calls its `f()`, and gives what came back in words.
fn outcome(source: &str) -> Result<String, Problem> {
    python::enter(|py| {
        let module = run(py, source)?;
        let result = module.get(py, "f")?.call(py, &[])?;
        Ok(result.describe(py))
    })
}

fn problem(source: &str) -> Problem {
    outcome(source).expect_err("this was to fail")
}

#[track_caller]
fn gives(source: &str, expected: &str) {
    assert_eq!(outcome(source).as_deref(), Ok(expected), "{source}");
}

#[track_caller]
fn stops(source: &str, line: u32) {
    let problem = problem(source);
    assert_eq!((problem.kind, problem.line), (ProblemKind::Stopped, Some(line)), "{source}\n{problem:?}");
}

#[test]
fn everything_that_interviews_use_can_be_imported() {
    for module in python::library::PUBLIC {
        gives(&format!("import {module} as m\ndef f(): return m.__name__.split('.')[0][:0]\n"), "''");
    }
    gives(
        "from dataclasses import dataclass, field\nfrom typing import Optional\n@dataclass\nclass A:\n    x: int\n    y: Optional[str] = None\n    z: list = field(default_factory=list)\ndef f(): return repr(A(1)) + str(A(1) == A(1))\n",
        "\"A(x=1, y=None, z=[])True\"".replace('"', "'").as_str(),
    );
    gives(
        "from enum import Enum, auto\nclass S(Enum):\n    A = auto()\n    B = auto()\ndef f(): return S.B.name\n",
        "'B'",
    );
    gives(
        "from collections import namedtuple, OrderedDict, defaultdict, deque, Counter\nP = namedtuple('P', 'x y')\ndef f(): return P(1, 2)._replace(x=5).x\n",
        "5",
    );
    gives(
        "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 3\ndef f(): return P(1).y\n",
        "3",
    );
    gives("import heapq\ndef f():\n    h = [3, 1, 2]\n    heapq.heapify(h)\n    return heapq.heappop(h)\n", "1");
    gives("import re\ndef f(): return re.sub('[ab]+', '-', 'xaabby')\n", "'x-y'");
    gives("import bisect\ndef f(): return bisect.bisect_left([1, 3, 5], 4)\n", "2");
    gives(
        "from contextlib import contextmanager, suppress\n@contextmanager\ndef c():\n    yield 4\ndef f():\n    with c() as x, suppress(KeyError):\n        {}[1]\n    return x\n",
        "4",
    );
    gives(
        "from functools import lru_cache, partial, reduce, total_ordering\n@lru_cache\ndef g(n): return n if n < 2 else g(n-1) + g(n-2)\ndef f(): return g(50)\n",
        "12586269025",
    );
    gives("import copy\ndef f(): return copy.deepcopy({'a': [1]})['a'][0]\n", "1");
    gives("import itertools\ndef f(): return next(itertools.count(7))\n", "7");
    gives("import hashlib\ndef f(): return hashlib.sha256(b'a').hexdigest()[:8]\n", "'ca978112'");
    gives(
        "import uuid\ndef f():\n    u = uuid.UUID(fields=(1, 2, 0x4003, 0x84, 5, 6))\n    return f'{u.urn} {u.version} {u == uuid.UUID(bytes_le=u.bytes_le)}'\n",
        "'urn:uuid:00000001-0002-4003-8405-000000000006 4 True'",
    );
    gives("import sys\ndef f(): return 1.0 + sys.float_info.epsilon > 1.0\n", "True");
    gives("import string\ndef f(): return string.Template('$a').substitute(a=1) + string.digits[:2]\n", "'101'");
    gives(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: Later | None = None\ndef f(): return A().x\n",
        "None",
    );
    gives(
        "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def g(self): ...\ndef f():\n    try: A()\n    except TypeError: return 1\n",
        "1",
    );
    gives("class A:\n    def g(self) -> 'Later': return 1\n    x: Later = 3\ndef f(): return A().g()\n", "1");
}

#[test]
fn characters_can_be_named_in_texts() {
    let names = ["BULLET", "latin small letter a", "NBSP", "BELL", "HANGUL SYLLABLE GAG", "CJK UNIFIED IDEOGRAPH-4E00"];
    let text: String = names.map(|name| format!("\\N{{{name}}}")).concat();
    gives(
        &format!(
            "def f(): return [hex(ord(c)) for c in '{text}'] == ['0x2022', '0x61', '0xa0', '0x1f514', '0xac01', '0x4e00']\n"
        ),
        "True",
    );
    let problem = problem("def f():\n    return '\\N{NO SUCH CHARACTER}'\n");
    assert_eq!((problem.kind, problem.line), (ProblemKind::Syntax, Some(2)), "{problem:?}");
}

#[test]
fn mathematics_agrees_with_cpython() {
    // Values from CPython 3.11.
    for (expression, value) in [
        ("math.floor(-2.5)", "-3"),
        ("math.ceil(2.1)", "3"),
        ("math.ceil(-2.5)", "-2"),
        ("math.trunc(-2.5)", "-2"),
        ("math.floor(3)", "3"),
        ("math.isqrt(10**20)", "10000000000"),
        ("math.gcd(12, 18)", "6"),
        ("math.lcm(4, 6)", "12"),
        ("math.comb(5, 2)", "10"),
        ("math.factorial(10)", "3628800"),
        ("math.isclose(0.1 + 0.2, 0.3)", "True"),
        ("math.isnan(math.nan)", "True"),
        ("math.frexp(8.0) == (0.5, 4)", "True"),
        ("math.frexp(0.3) == (0.6, -1)", "True"),
        ("math.ldexp(0.5, 4)", "8.0"),
        ("math.log(8, 2)", "3.0"),
        ("math.log2(1 << 2000)", "2000.0"),
        ("math.fsum([0.1] * 10)", "1.0"),
        ("math.modf(-2.5) == (-0.5, -2.0)", "True"),
        ("math.remainder(5, 3)", "-1.0"),
        ("math.hypot(3, 4)", "5.0"),
        ("math.sqrt(2)", "1.4142135623730951"),
    ] {
        gives(&format!("import math\ndef f(): return {expression}\n"), value);
    }
    assert!(problem("import math\ndef f(): return math.sqrt(-1)\n").message.contains("math domain error"));
}

#[test]
fn what_is_not_there_says_what_to_use_instead() {
    for (module, word) in [
        ("threading", "one at a time"),
        ("asyncio", "event loop"),
        ("os", "simulation"),
        ("os.path", "simulation"),
        ("socket", "network"),
        ("datetime", "clock"),
        ("logging", "print()"),
        ("no_such_thing", "What can be imported"),
        ("_leasehold", "What can be imported"),
        ("gc", "simulation"),
        ("queue", "collections.deque"),
    ] {
        let problem = problem(&format!("x = 1\nimport {module}\n"));
        assert_eq!(problem.traceback, None, "the message and the line say all of it");
        assert!(problem.message.contains(word), "{module}: {}", problem.message);
        assert!(problem.message.contains("ImportError"), "{module}: {}", problem.message);
        assert_eq!(problem.line, Some(2));
    }
    assert!(problem("from os import path\n").message.contains("simulation"));
    assert!(problem("from . import a\n").message.contains("one file"));
    let there_is_none = "ImportError: cannot import name 'Locks' from 'leasehold'";
    assert_eq!(problem("from leasehold import Locks\n").message, there_is_none);
    let digest = "from hashlib import blake2b\ndef f(): return blake2b(b'a')\n";
    assert!(problem(digest).message.contains("unsupported hash type blake2b; here are md5, sha1 and sha256"));
    assert!(problem("def f():\n    open('/etc/passwd')\n").message.contains("no files"));
}

#[test]
fn an_endless_loop_is_stopped_at_its_line() {
    stops("def f():\n    while True:\n        pass\n", 2);
    stops("def f():\n    x = 0\n    while True:\n        x += 1\n", 3);
    stops("import itertools\ndef f():\n    for i in itertools.count():\n        pass\n", 3);
    stops("import itertools\ndef f():\n    return [\n        i for i in itertools.count()]\n", 4);
    stops("import itertools\ndef f():\n    return sum(\n        1 for i in itertools.count())\n", 4);
    stops("while True: pass\n", 1);
    stops("def g():\n    while True:\n        yield 1\ndef f():\n    for x in g():\n        continue\n", 2);
    stops("def f():\n    exec('while True: pass')\n", 2);
    stops("def f():\n    return eval('[1 for i in iter(int, 1)]')\n", 2);
    stops("g = lambda x: x\ndef f():\n    return sorted(range(10**5), key=\n        lambda x: g(x))\n", 1);
    stops(
        "class A:\n    def __eq__(self, o):\n        return False\ndef f():\n    return [A() for i in range(500)].index(1) if False else \\\n      sum(1 for i in iter(A, 3))\n",
        2,
    );
}

#[test]
fn no_handler_outlasts_the_stop() {
    let problems = [
        "def f():\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass\n",
        "def f():\n    while True:\n        try:\n            while True: pass\n        finally: continue\n",
        "def g():\n    try:\n        g2()\n    except BaseException:\n        g2()\ndef g2():\n    while True: pass\ndef f():\n    while True:\n        try: g()\n        except: g()\n",
        "class A:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\ndef f():\n    while True:\n        with A():\n            while True: pass\n",
        "def f():\n    try:\n        while True: pass\n    except BaseException:\n        return 1\n",
        "import contextlib\ndef f():\n    while True:\n        with contextlib.suppress(BaseException):\n            while True: pass\n",
    ];
    for source in problems {
        assert_eq!(problem(source).kind, ProblemKind::Stopped, "{source}");
    }
}

#[test]
fn patched_builtins_do_not_switch_the_meter_off() {
    stops(
        "def f():\n    for name in list(__builtins__): __builtins__[name] = None\n    while True:\n        pass\n",
        3,
    );
    stops(
        "import itertools, functools\nitertools.count = None\nlen = print = dict = None\ndef f():\n    while True:\n        pass\n",
        5,
    );
}

#[test]
fn the_next_call_works_after_a_stop() {
    python::enter(|py| {
        let module = run(py, "def f():\n    while True: pass\ndef g(): return 3\n").expect("loads");
        for _ in 0..3 {
            let stopped = module.get(py, "f").and_then(|f| f.call(py, &[])).err().map(|p| p.kind);
            assert_eq!(stopped, Some(ProblemKind::Stopped));
            let value = module.get(py, "g").and_then(|g| g.call(py, &[])).map(|v| v.value(py));
            assert!(matches!(value, Ok(Value::Int(n)) if n.to_string() == "3"));
        }
    });
}

#[test]
fn deep_recursion_is_an_error_with_a_line() {
    for source in [
        "def g(n):\n    return g(n + 1)\ndef f():\n    return g(0)\n",
        "class A:\n    def __repr__(self):\n        return repr(self)\ndef f():\n    return repr(A())\n",
        "class A:\n    def __lt__(self, o):\n        return sorted([A(), A()])\ndef f():\n    return sorted([A(), A()])\n",
        "class A:\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\ndef f():\n    return A().y\n",
        "class A:\n    def __eq__(self, o):\n        return [self] == [o]\ndef f():\n    return A() == A()\n",
        "def f():\n    x = []\n    for i in range(40000): x = [x]\n    return len(repr(x))\n",
    ] {
        let problem = problem(source);
        assert!(problem.message.contains("RecursionError"), "{source}\n{}", problem.message);
    }
}

#[test]
fn an_exception_comes_with_its_line_and_own_frames() {
    let problem =
        problem("import functools\ndef g():\n    return {}['k']\ndef f():\n    return functools.partial(g)()\n");
    assert_eq!(problem.line, Some(3));
    assert_eq!(problem.message, "KeyError: 'k'");
    assert_eq!(problem.traceback.as_deref(), Some("  line 5, in f\n  line 3, in g\nKeyError: 'k'"));
}

#[test]
fn a_syntax_error_comes_with_line_and_column() {
    for (source, line, word) in [
        ("def f(:\n  pass\n", 1, "SyntaxError"),
        ("def f():\n    x = = 1\n", 2, "SyntaxError"),
        ("def f():\npass\n", 2, "IndentationError"),
        ("x = 1\nreturn 5\n", 2, "'return' outside function"),
        ("def f():\n    print 'a'\n", 2, "print"),
        ("x = (1,\n", 1, "never closed"),
        ("def f(x):\n    if x and 1 < x['a']\n        return 1\n", 2, "expected ':'"),
        ("x = 1\ny = '\0'\n", 2, "NUL"),
    ] {
        let problem = problem(source);
        assert_eq!((problem.kind, problem.line), (ProblemKind::Syntax, Some(line)), "{source:?} {problem:?}");
        assert!(problem.message.contains(word), "{source:?} {problem:?}");
    }
}

#[test]
fn odd_sources_load() {
    gives("\u{feff}def f(): return 1\r\n", "1");
    gives("def f():\r\n    return 'a\\n'\r\n", "'a\n'");
    gives("def été(): return 2\nf = été\n", "2");
    let missing = problem("");
    assert_eq!(missing.kind, ProblemKind::Missing);
    assert!(missing.message.contains("defines no f"));
}

#[test]
fn what_is_printed_is_kept_up_to_a_limit() {
    python::enter(|py| {
        let module = run(py, "def f():\n    print('a', 1, sep='-', end='!\\n')\n").expect("loads");
        module.get(py, "f").and_then(|f| f.call(py, &[])).expect("prints");
        assert_eq!(py.take_output(), "a-1!\n");
        assert_eq!(py.take_output(), "");
        let module = run(py, "def f():\n    for i in range(1000): print('x' * 100)\n").expect("loads");
        module.get(py, "f").and_then(|f| f.call(py, &[])).expect("prints");
        let output = py.take_output();
        assert!(output.len() < python::OUTPUT_LIMIT + 100 && output.contains("bytes more"), "{}", output.len());
    });
}

#[test]
fn processes_do_not_share_globals_or_builtins() {
    python::enter(|py| {
        let program = py.compile("import random\nxs = []\ndef f():\n    xs.append(1)\n    __builtins__['len'] = lambda x: 77\n    return len(xs)\n").expect("compiles");
        let (one, two) = (program.run(py).expect("runs"), program.run(py).expect("runs"));
        let call = |m: &Module| m.get(py, "f").and_then(|f| f.call(py, &[])).map(|v| v.describe(py));
        assert_eq!(call(&one).as_deref(), Ok("77"));
        assert_eq!(two.get(py, "len").err().map(|p| p.kind), Some(ProblemKind::Missing));
        let clean = program.run(py).expect("runs");
        assert_eq!(clean.get(py, "xs").map(|x| x.describe(py)).as_deref(), Ok("a list object"));
        drop(two);
    });
    gives("def f(): return len([1])\n", "1");
}

#[test]
fn leftovers_of_a_run_are_noticed() {
    let touched = |source: &str| {
        python::enter(|py| {
            let module = run(py, source).expect("loads");
            module.get(py, "f").and_then(|f| f.call(py, &[])).expect("runs");
            !module.is_untouched(py)
        })
    };
    for source in [
        "xs = []\ndef f(): xs.append(1)\n",
        "d = {}\ndef f(): d['a'] = 1\n",
        "d = {'a': {'b': 1}}\ndef f(): d['a']['b'] += 1000\n",
        "n = 0\ndef f():\n    global n\n    n += 1\n",
        "class A:\n    n = 0\ndef f(): A.n = 5000\n",
        "class A:\n    all = {}\ndef f(): A.all['x'] = 1\n",
        "def g(x=[]): x.append(1)\ndef f(): g()\n",
        "def make():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1000\n    return g\nf = make()\n",
        "def g(): pass\ndef f(): g.calls = 1\n",
        "class A:\n    def __init__(self): self.n = 0\na = A()\ndef f(): a.n = 12345\n",
        "class A:\n    __slots__ = ('n',)\na = A()\na.n = 1\ndef f(): a.n = 12345\n",
        "import itertools\nc = itertools.count()\ndef f(): next(c)\n",
        "import functools\n@functools.lru_cache\ndef g(x): return x\ndef f(): g(1)\n",
        "from collections import deque\nd = deque()\ndef f(): d.append(1)\n",
        "s = set()\ndef f(): s.add(1)\n",
        "def f(): __builtins__['len'] = 1\n",
        "class A:\n    @staticmethod\n    def g(x=[]): x.append(1)\ndef f(): A.g()\n",
        "class D(dict): pass\nd = D()\ndef f(): d['a'] = 1\n",
        "class L(list): pass\nx = L()\ndef f(): x.n = 5000\n",
        "class L(list):\n    pass\nx = L()\ndef f(): x.append(1)\n",
        "class I(int): pass\nx = I(3)\ndef f(): x.n = []\n",
        "class A:\n    n = 0\nA.__module__ = 'enum'\ndef f(): A.n = 5000\n",
        "__name__ = 'mylib'\nclass A:\n    n = []\ndef f(): A.n.append(1)\n",
        "import types\nA = types.new_class('A')\nA.n = []\ndef f(): A.n.append(1)\n",
        "import types\nd = {}\nv = types.MappingProxyType(d)\ndel d\nw = v | {}\ndef f(): w['a'] = 1\n",
        "from dataclasses import dataclass, field\nm = {}\n@dataclass\nclass A:\n    x: int = field(default=0, metadata=m)\ndef f(): m['a'] = 1\n",
        "from enum import Enum\nclass E(Enum):\n    A = 1\ndef f(): E.A.n = [1]\n",
        "class Field:\n    n = 0\nd = Field()\ndef f(): d.n = 500\n",
        "gen = (i for i in range(10))\ndef f(): next(gen)\n",
    ] {
        assert!(touched(source), "{source}");
    }
    for source in [
        "class A:\n    def __init__(self, c): self.d = {}\n    def g(self): self.d['x'] = 1\ndef f(): A(1).g()\n",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 0\ndef f():\n    a = A()\n    a.x = 2\n",
        "from typing import NamedTuple, Optional\nclass P(NamedTuple):\n    x: Optional[int] = None\ndef f(): return P(1)\n",
        "import re\nfrom enum import Enum, IntEnum\nclass E(Enum):\n    A = 1\nclass F(IntEnum):\n    B = 2\nP = re.compile('a')\nS = object()\ndef f(): return E.A, F.B, P.match('a'), S\n",
        "from typing import Protocol, Generic, TypeVar, Callable\nT = TypeVar('T')\nclass A(Generic[T]):\n    pass\nclass P(Protocol):\n    def g(self): ...\nF = dict[str, int]\ndef f(): return A()\n",
        "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def g(self): ...\nclass B(A):\n    def g(self): return 1\ndef f(): return B().g()\n",
        "LIMIT = 10\nNAMES = ['a', 'b']\ndef f(): return NAMES[0]\n",
        "import math, heapq, enum\nfrom collections import defaultdict\ndef f(): return defaultdict(list)['a']\n",
        "class A:\n    __slots__ = ('n',)\ndef f():\n    A().n = 3\n",
        "class A:\n    @property\n    def p(self): return 1\n    @classmethod\n    def c(cls): return cls()\ndef f(): return A.c().p\n",
    ] {
        assert!(!touched(source), "{source}");
    }
}

#[test]
fn an_exception_in_a_finalizer_ends_nothing() {
    gives("class A:\n    def __del__(self): raise ValueError('x')\ndef f():\n    A()\n    return 1\n", "1");
    gives(
        "def g():\n    try:\n        yield 1\n    finally:\n        raise ValueError('x')\ndef f():\n    next(g())\n    return 1\n",
        "1",
    );
    gives(
        "class A:\n    def __del__(self):\n        while True: pass\nclass B: pass\nkept = []\ndef f():\n    return A\n",
        "a type object",
    );
    gives("class R:\n    def __del__(self): R()\ndef f():\n    R()\n    return 1\n", "1");
    python::enter(|py| {
        let module = run(py, "class A:\n    def __del__(self):\n        while True: pass\ndef f(): return A()\n")
            .expect("loads");
        drop(module.get(py, "f").and_then(|f| f.call(py, &[])).expect("runs"));
    });
}

#[test]
fn what_is_reached_through_the_library_leads_nowhere() {
    for source in [
        "import enum\ndef f(): enum.sys.settrace(print)\n",
        "import enum\ndef f(): enum.sys.modules['solution'].x = 1 / 0\n",
        "import enum\ndef f(): enum.sys.modules.clear()\n",
        "import collections\ndef f(): collections._sys._current_frames()\n",
        "def f(): __import__('gc').collect()\n",
        "import enum\ndef f(): enum.bltns.__import__('posix')\n",
    ] {
        assert_eq!(problem(source).kind, ProblemKind::Raised, "{source}");
    }
    gives("import enum, sys\nsys.modules['enum'] = None\nimport re\ndef f(): return re.sub('a', 'b', 'a')\n", "'b'");
    gives("import sys\ndef f(): return sys.maxsize\n", "9223372036854775807");
}

#[test]
fn a_raised_syntax_error_is_an_exception_like_any_other() {
    let problem = problem("def f():\n    raise SyntaxError('hi', ('your code', 99999, 1, ''))\n");
    assert_eq!((problem.kind, problem.line), (ProblemKind::Raised, Some(2)));
}

#[test]
fn a_huge_number_is_named_and_not_spelled_out() {
    gives("def f(): return 1 << 100_000\n", "an int of more than 4,000 digits");
    gives("def f(): return 10**40\n", "10000000000000000000000000000000000000000");
}

#[test]
fn random_numbers_repeat_with_the_seed() {
    let draw = |seed: u64| {
        python::enter(|py| {
            py.set_seed(seed);
            let module = run(py, "import random, uuid, secrets\ndef f(): return f'{random.random()} {random.randint(1, 6)} {uuid.uuid4()} {secrets.token_hex(4)} {random.choice([1, 2])} {random.Random(5).random()}'\n").expect("loads");
            module.get(py, "f").and_then(|f| f.call(py, &[])).map(|v| v.describe(py)).expect("draws")
        })
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn clocks_are_virtual() {
    python::enter(|py| {
        let module =
            run(py, "import time\ndef f(clock): return f'{clock()} {time.monotonic()}'\ndef g(): time.sleep(1)\n")
                .expect("loads");
        py.set_time_us(1_250_000);
        let clock = py.clock();
        let told = module.get(py, "f").and_then(|f| f.call(py, &[Arg::Object(&clock)])).map(|v| v.describe(py));
        assert_eq!(told.as_deref(), Ok("'1.25 1.25'"));
        let slept = module.get(py, "g").and_then(|f| f.call(py, &[])).err().map(|p| p.message);
        assert!(slept.is_some_and(|m| m.contains("Time is virtual")));
    });
}

#[test]
fn a_value_error_and_what_derives_from_it_is_told_from_other_exceptions() {
    for (raised, expected) in [("ValueError('ttl')", true), ("E()", true), ("TypeError('ttl')", false)] {
        let source = format!("class E(ValueError): pass\ndef f():\n    raise {raised}\n");
        assert_eq!(problem(&source).is_value_error, expected, "{raised}");
    }
    // One that only has the name is another class.
    assert!(!problem("class ValueError(Exception): pass\ndef f():\n    raise ValueError()\n").is_value_error);
}

#[test]
fn an_attribute_is_read_and_a_property_that_fails_is_told() {
    python::enter(|py| {
        let source = "class A:\n    x = 1\n    @property\n    def y(self): return 1 / 0\na = A()\n";
        let a = run(py, source).and_then(|module| module.get(py, "a")).expect("it runs");
        assert_eq!(a.attribute(py, "x").map(|x| x.describe(py)), Ok("1".to_owned()));
        let failed = |name| a.attribute(py, name).err().expect("there is none").message;
        assert!(failed("y").starts_with("ZeroDivisionError"));
        assert!(failed("z").starts_with("AttributeError"));
    });
}

#[test]
fn a_coroutine_that_is_used_as_what_it_gives_asks_for_await() {
    let asks = |body: &str| {
        let source = format!("async def c():\n    return 1\ndef f():\n    {body}\n");
        problem(&source).message
    };
    for body in ["return c().fencing_token", "return c() + 1", "return c()[0]", "return c() > 1"] {
        let message = asks(body);
        assert!(message.ends_with("Is there an `await` missing?"), "{body}: {message}");
    }
    let others = ["return (1).fencing_token", "raise ValueError(\"a 'coroutine' object\")"];
    for body in others {
        let message = asks(body);
        assert!(!message.contains("await"), "{body}: {message}");
    }
}

#[test]
fn native_functions_take_ticks_too() {
    for body in [
        "sum(itertools.count())",
        "list(iter(int, 1))",
        "max(itertools.cycle([1]))",
        "5.5 in range(10**15)",
        "''.join(itertools.repeat('x'))",
        "collections.deque(itertools.count(), maxlen=0)",
        "len(list(itertools.product(range(100), repeat=10)))",
        "pow(3, 10**5000, 10**5000 + 1)",
    ] {
        stops(&format!("import collections, itertools\ndef f():\n    return {body}\n"), 3);
    }
    // As much as anybody needs goes through.
    gives("def f(): return sum(range(100000))\n", "4999950000");
    gives("import itertools\ndef f(): return sum(itertools.islice(itertools.count(), 100000))\n", "4999950000");
    gives("def f(): return pow(3, 10**50, 10**20 + 39)\n", "62132032753656104188");
}

#[test]
fn what_would_be_too_large_is_a_memory_error_with_its_line() {
    for body in [
        "10**10**8",
        "1 << 10**9",
        "True << 10**9",
        "'x' * 10**10",
        "[0] * 10**10",
        "10**9 * (1, 2)",
        "b'ab' * 10**10",
        "bytearray(b'ab') * 10**10",
    ] {
        let problem = problem(&format!("def f():\n    return {body}\n"));
        assert!(problem.message.starts_with("MemoryError: "), "{body}: {}", problem.message);
        assert_eq!(problem.line, Some(2), "{body}");
    }
    gives("def f(): return len('ab' * 1000000) + len([0] * 1000000) + (1 << 1000).bit_length()\n", "3001001");
    gives("def f(): return 3**1000 % 1000007\n", "297623");
}

#[test]
fn tabs_that_could_be_read_in_two_ways_are_refused() {
    let problem = problem("def f():\n\tx = 1\n        return x\n");
    assert_eq!((problem.kind, problem.line), (ProblemKind::Syntax, Some(3)));
    assert!(problem.message.starts_with("TabError: inconsistent use of tabs"), "{}", problem.message);
    gives("def f():\n\tx = 1\n\treturn x\n", "1");
}

#[test]
fn each_process_finds_itself_among_the_modules() {
    python::enter(|py| {
        let source = "import sys\nmine = []\ndef f(): return sys.modules['solution'].mine is mine\ndef g():\n    import sys as again\n    return again is sys\n";
        let program = py.compile(source).expect("compiles");
        let (one, two) = (program.run(py).expect("runs"), program.run(py).expect("runs"));
        for (module, function) in [(&one, "f"), (&two, "f"), (&one, "g"), (&two, "g")] {
            let value = module.get(py, function).and_then(|f| f.call(py, &[])).map(|v| v.describe(py));
            assert_eq!(value.as_deref(), Ok("True"), "{function}");
        }
    });
}

#[test]
fn catching_the_end_of_the_stack_again_and_again_is_dear() {
    stops(
        "def tree(n):\n    try:\n        tree(n + 1)\n    except BaseException:\n        tree(n + 1)\ndef f():\n    tree(0)\n",
        1,
    );
}

/// Each manager and its links hold one another; they live long enough not to count as young.
const CIRCLES: &str = "
class Link:
    def __init__(self, owner):
        self.owner = owner


class LockManager:
    def __init__(self, clock):
        self.links = [Link(self) for _ in range(3_000)]

    def acquire(self, name, client_id, ttl):
        return None

    def release(self, name, client_id):
        return False
";

#[test]
fn what_the_schedules_of_a_search_leave_in_circles_does_not_pile_up() {
    let objects = || {
        let (young, middle, old) = rustpython_vm::gc_state::gc_state().get_count();
        young + middle + old
    };
    let run = |count| leasehold_checker::suites::acquire_with_fencing::run_drawn(CIRCLES, count, 1).unwrap();
    run(1);
    let before = objects();
    run(200);
    assert!(objects() < before + 100_000, "{before} objects before and {} after", objects());
}
