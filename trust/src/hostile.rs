//! Hostile programs: those written by hand (`trust/hostile/*.py`), and families made from constructs and bodies.
