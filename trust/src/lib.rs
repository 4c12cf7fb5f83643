//! Why a verdict can be believed: what was thrown at the checker, and what came of it.
//!
//! A learning page that hangs once is closed for good, and a checker that errs once is never believed again. So the
//! checker is tried like the code that it tries. [`hostile`] holds programs that loop, swell, cheat and lie: each must end
//! in a worded verdict, soon, and none may pass for what it is not. [`mutants`] are the katas' solutions with one small change
//! each: a suite that does not notice has a hole. [`right`] are right solutions of other makes: one that fails is a false
//! alarm. [`fuzz`] throws half-right text at everything that reads any. The bin `trust` runs it all and prints the table.

pub mod fuzz;
pub mod hostile;
pub mod mutants;
pub mod right;
pub mod table;
