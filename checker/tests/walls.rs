//! What learner code can't reach: the modules, classes and functions that all processes share, and through them what
//! judges it.

use leasehold_checker::python::{self, Python};
use leasehold_checker::report::Verdict;
use leasehold_checker::suites;

/// What `f()` gives, or the class and text of what it raised.
fn tried(py: &Python<'_>, source: &str) -> String {
    let module = py.compile(source).and_then(|program| program.run(py)).unwrap_or_else(|p| panic!("{source}: {p}"));
    match module.get(py, "f").and_then(|f| f.call(py, &[])) {
        Ok(value) => value.describe(py),
        Err(problem) => problem.message,
    }
}

#[track_caller]
fn refused(body: &str, why: &str) {
    let source = format!("import leasehold, random, sys, types\ndef f():\n    {body}\n");
    let text = python::enter(|py| tried(py, &source));
    assert!(text.contains(why), "{body}: {text}");
}

#[test]
fn classes_of_the_library_can_not_be_changed() {
    let immutable = "immutable type 'LockService'";
    refused("leasehold.LockService.renew = None", immutable);
    refused("type.__setattr__(leasehold.LockService, 'renew', None)", immutable);
    refused("del leasehold.LockService.renew", immutable);
    refused("leasehold.LockService.__bases__ = (dict,)", "immutable");
    refused("random.Random.random = lambda self: 0", "immutable type 'Random'");
    refused("s = leasehold.LockService(); s.__class__ = type('X', (), {})", "");
    refused("random.random.__self__._next = lambda: 0", "read-only");
}

#[test]
fn functions_of_the_library_keep_to_themselves_what_they_are_made_of() {
    let closed = "not available here: it would lead out";
    for name in ["__globals__", "__builtins__", "__closure__", "__kwdefaults__"] {
        refused(&format!("leasehold.spawn.{name}"), closed);
        refused(&format!("type(f).__dict__['{name}'].__get__(leasehold.spawn)"), closed);
        refused(&format!("object.__getattribute__(leasehold.LockService.renew, '{name}')"), closed);
    }
    refused("leasehold.spawn.__code__ = f.__code__", closed);
    refused("leasehold.Signal.wait.__defaults__ = (0,)", closed);
    refused("leasehold.Signal.wait.__kwdefaults__ = {}", closed);
    refused("return len.__self__", "None");
    refused("return sys.intern.__self__", "None");
    for name in ["f_back", "f_globals", "f_locals", "f_builtins"] {
        refused(&format!("sys._getframe().{name}"), closed);
        refused(
            &format!(
                "try:\n        leasehold.Grant()\n    except TypeError as e:\n        e.__traceback__.tb_frame.{name}"
            ),
            closed,
        );
        refused(&format!("(x for x in [1]).gi_frame.{name}"), closed);
    }
    refused("return sys.modules.get('_leasehold')", "None");
    refused("leasehold._leasehold", "no attribute");
    refused("leasehold._call", "no attribute");
    refused("random._leasehold", "no attribute");
}

#[test]
fn the_learners_own_functions_are_open() {
    python::enter(|py| {
        let own = "def g(a, b=2, *, c=3):\n    return a\n";
        for (body, expected) in [
            ("return g.__defaults__ == (2,) and g.__kwdefaults__ == {'c': 3}", "True"),
            ("return g.__globals__ is globals() and g.__closure__ is None", "True"),
            ("g.__defaults__ = (5,)\n    return g(1)", "1"),
            ("g.__code__ = (lambda a, b, *, c: 7).__code__\n    return g(1)", "7"),
            ("return [].append.__self__", "a list object"),
        ] {
            assert_eq!(tried(py, &format!("{own}def f():\n    {body}\n")), expected, "{body}");
        }
    });
}

#[test]
fn what_a_process_puts_into_a_module_stays_with_it() {
    python::enter(|py| {
        let patch = "import random, collections.abc, leasehold, sys\ndef f():\n    random.random = lambda: 'mine'\n    leasehold.spawn = None\n    collections.deque = None\n    collections.abc.Mapping = None\n    import random as again\n    return again.random()\n";
        let program = py.compile(patch).expect("compiles");
        let one = program.run(py).expect("runs");
        let call = |m: &python::Module| m.get(py, "f").and_then(|f| f.call(py, &[])).map(|v| v.describe(py));
        assert_eq!(call(&one).as_deref(), Ok("'mine'"));
        let two = program.run(py).expect("runs");
        assert!(!one.is_untouched(py) && two.is_untouched(py));
        let look = "import random, collections.abc, leasehold\nfrom collections import deque\ndef f(): return [random.random() == 'mine', leasehold.spawn is None, deque is None, collections.abc.Mapping is None].count(True)\n";
        assert_eq!(tried(py, look), "0");
    });
}

#[test]
fn a_lazy_import_is_no_leftover() {
    python::enter(|py| {
        let program =
            py.compile("def f():\n    import random, collections.abc\n    return random.random()\n").expect("compiles");
        let module = program.run(py).expect("runs");
        module.get(py, "f").and_then(|f| f.call(py, &[])).expect("runs");
        assert!(module.is_untouched(py));
        let patch = py.compile("def f():\n    import random\n    random.random = None\n").expect("compiles");
        let module = patch.run(py).expect("runs");
        module.get(py, "f").and_then(|f| f.call(py, &[])).expect("runs");
        assert!(!module.is_untouched(py));
    });
}

#[test]
fn a_lock_that_patches_its_clock_and_its_builtins_is_judged_as_ever() {
    let never_expires = include_str!("../../exercises/01-acquire-with-fencing/wrong/never_expires.py");
    let right = include_str!("../../exercises/01-acquire-with-fencing/solution.py");
    for patch in [
        "import leasehold\nleasehold.Clock = None\n",
        "import time\ntime.time = lambda: 0\n",
        "for name in list(__builtins__):\n    if name not in ('print', '__build_class__', '__import__', 'super', 'object', 'int', 'max', 'dict'):\n        __builtins__[name] = __builtins__[name]\n",
    ] {
        let verdict = |lock: &str| {
            suites::check("acquire-with-fencing", &format!("{patch}{lock}")).expect("there is one").verdict
        };
        assert_eq!(verdict(never_expires), Verdict::Failed, "{patch}");
        assert_eq!(verdict(right), Verdict::Passed, "{patch}");
    }
}
