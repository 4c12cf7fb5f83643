//! A small database: transactions, row locks, read committed. The storage that a gate can be written over.
//!
//! A plain read takes no lock and sees what is committed, or the transaction's own writes. A write locks its row until
//! the transaction ends. `get_for_update` locks the row that it reads, if there is one: **a row that does not exist
//! can't be locked**, so two transactions that both find none both go on, and the second write wins. That is how
//! databases behave at this level of isolation, and why a first write needs `insert`, which fails where the row is
//! there already.
//!
//! An operation that must wait says so; it is done later, when a transaction that was in its way ends, and then tells
//! of itself in [`RowStore::take_resumed`]. Each row serves its waiting operations in the order in which they came.
//! Each then sees what is committed by that time.
//!
//! Where databases differ: an operation on a row that another transaction has inserted and not committed waits
//! for it (InnoDB does; PostgreSQL's `SELECT … FOR UPDATE` finds no row). A duplicate is an error of the one operation
//! and the transaction goes on (as in InnoDB).
//!
//! ```
//! use leasehold_checker::model::row_store::{Outcome, RowStore, Step};
//! let mut store = RowStore::default();
//! let (a, b) = (store.begin(), store.begin());
//! assert_eq!(store.put(a, "row", 1), Ok(Step::Done(())));
//! assert_eq!(store.get_for_update(b, "row"), Ok(Step::Waits));
//! store.commit(a).expect("it is open");
//! assert_eq!(store.take_resumed(), [(b, Outcome::Read(Some(1.into())))]);
//! ```

use super::data::Data;
use std::collections::BTreeMap;

/// The database's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowStore {
    committed: BTreeMap<String, Data>,
    open: BTreeMap<TxId, Transaction>,
    last_transaction: u64,
    /// Which transaction has locked a row. Such a row exists, or the transaction has inserted or deleted it.
    locks: BTreeMap<String, TxId>,
    /// Transactions that wait for a row, the first to come first; no list is empty, and each row is locked.
    queues: BTreeMap<String, Vec<TxId>>,
    resumed: Vec<(TxId, Outcome)>,
}

/// A transaction. Numbers are never used again, so that an old one can't mean a new transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TxId(pub u64);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Transaction {
    /// What it wrote; none is a delete.
    writes: BTreeMap<String, Option<Data>>,
    waits: Option<Operation>,
}

/// An operation on a row that may have to wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Operation {
    row: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum What {
    GetForUpdate,
    Put(Data),
    Insert(Data),
    Delete,
}

/// How far an operation came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step<T> {
    /// It is done.
    Done(T),
    /// It waits for another transaction to end. Its outcome will be among those of [`RowStore::take_resumed`].
    Waits,
}

/// How an operation ended that had to wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// `get_for_update` read this, and locked the row if there is one.
    Read(Option<Data>),
    /// `put` or `insert` wrote.
    Written,
    /// `delete` is done; whether there was a row.
    Deleted(bool),
    /// It failed. After having waited this can only be [`Failure::Duplicate`].
    Failed(Failure),
}

/// Why an operation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Failure {
    /// `insert`: the row exists. The transaction goes on.
    #[error("the row exists")]
    Duplicate,
    /// To wait would be to wait for oneself, by way of others. The transaction that asked was rolled back.
    #[error("deadlock: the transaction was rolled back")]
    Deadlock,
    /// There never was this transaction, or it ended.
    #[error("no such transaction")]
    NoSuchTransaction,
    /// The transaction has an operation that waits. Until that is done it takes no other; only `rollback`.
    #[error("the transaction waits for an operation of its own")]
    Busy,
}

impl RowStore {
    /// Begins a transaction.
    pub fn begin(&mut self) -> TxId {
        self.last_transaction += 1;
        let transaction = TxId(self.last_transaction);
        self.open.insert(transaction, Transaction::default());
        transaction
    }

    /// Reads a row without a lock: the transaction's own write, or else what is committed. Never waits.
    pub fn get(&self, transaction: TxId, row: &str) -> Result<Option<Data>, Failure> {
        self.ready(transaction)?;
        Ok(self.seen_by(transaction, row).cloned())
    }

    /// Reads a row and locks it until the transaction ends. Where there is no row there is nothing to lock.
    pub fn get_for_update(&mut self, transaction: TxId, row: &str) -> Result<Step<Option<Data>>, Failure> {
        self.start(transaction, row, What::GetForUpdate, |outcome| match outcome {
            Outcome::Read(value) => value,
            other => unreachable!("a read does not end as {other:?}"),
        })
    }

    /// Writes a row, whether it exists or not, and locks it.
    pub fn put(&mut self, transaction: TxId, row: &str, value: impl Into<Data>) -> Result<Step<()>, Failure> {
        self.start(transaction, row, What::Put(value.into()), |_| ())
    }

    /// Writes a row that must not exist, and locks it. While another transaction decides whether it exists, this waits;
    /// where it exists either way, it fails at once.
    pub fn insert(&mut self, transaction: TxId, row: &str, value: impl Into<Data>) -> Result<Step<()>, Failure> {
        self.start(transaction, row, What::Insert(value.into()), |_| ())
    }

    /// Deletes a row and locks it; whether it existed. Where there is no row there is nothing to lock.
    pub fn delete(&mut self, transaction: TxId, row: &str) -> Result<Step<bool>, Failure> {
        self.start(transaction, row, What::Delete, |outcome| outcome == Outcome::Deleted(true))
    }

    /// Ends a transaction and makes its writes everybody's, all in one step.
    pub fn commit(&mut self, transaction: TxId) -> Result<(), Failure> {
        self.ready(transaction)?;
        self.end(transaction, Ending::Commit);
        Ok(())
    }

    /// Ends a transaction as if it had never been. If an operation of it waits, it waits no longer, and nobody hears of
    /// it again.
    pub fn rollback(&mut self, transaction: TxId) -> Result<(), Failure> {
        if !self.open.contains_key(&transaction) {
            return Err(Failure::NoSuchTransaction);
        }
        self.end(transaction, Ending::Rollback);
        Ok(())
    }

    /// The operations that waited and are done since the last time: in the order in which transactions ended; for one
    /// such end by row; for a row in the order in which they came.
    pub fn take_resumed(&mut self) -> Vec<(TxId, Outcome)> {
        std::mem::take(&mut self.resumed)
    }

    /// How many transactions have begun and not ended.
    pub fn open_transactions(&self) -> usize {
        self.open.len()
    }

    /// What is committed in a row: what somebody sees who comes after everything.
    pub fn committed(&self, row: &str) -> Option<&Data> {
        self.committed.get(row)
    }

    /// Which transaction has locked a row.
    pub fn locked_by(&self, row: &str) -> Option<TxId> {
        self.locks.get(row).copied()
    }

    /// The database stops and starts again: open transactions are rolled back, and their clients' connections are gone.
    /// What was committed stays.
    pub fn restart(&mut self) {
        *self = RowStore {
            committed: std::mem::take(&mut self.committed),
            last_transaction: self.last_transaction,
            ..RowStore::default()
        };
    }

    /// Whether a transaction is open and takes an operation.
    fn ready(&self, transaction: TxId) -> Result<(), Failure> {
        match self.open.get(&transaction) {
            None => Err(Failure::NoSuchTransaction),
            Some(Transaction { waits: Some(_), .. }) => Err(Failure::Busy),
            Some(_) => Ok(()),
        }
    }

    fn start<T>(
        &mut self,
        transaction: TxId,
        row: &str,
        what: What,
        answer: impl Fn(Outcome) -> T,
    ) -> Result<Step<T>, Failure> {
        self.ready(transaction)?;
        let operation = Operation { row: row.to_owned(), what };
        match self.attempt(transaction, &operation) {
            Ok(Outcome::Failed(failure)) => Err(failure),
            Ok(outcome) => Ok(Step::Done(answer(outcome))),
            Err(Locked { by }) if self.leads_to(by, transaction) => {
                self.end(transaction, Ending::Rollback);
                Err(Failure::Deadlock)
            }
            Err(Locked { .. }) => {
                self.queues.entry(operation.row.clone()).or_default().push(transaction);
                self.writer(transaction).waits = Some(operation);
                Ok(Step::Waits)
            }
        }
    }

    /// Does an operation if no other transaction is in its way.
    fn attempt(&mut self, transaction: TxId, operation: &Operation) -> Result<Outcome, Locked> {
        let row = operation.row.as_str();
        let holder = self.locks.get(row).copied().filter(|holder| *holder != transaction);
        if let Some(by) = holder {
            // Committed, and not being deleted: it exists however the other transaction ends.
            let exists = self.committed.contains_key(row) && self.seen_by(by, row).is_some();
            return match operation.what {
                What::Insert(_) if exists => Ok(Outcome::Failed(Failure::Duplicate)),
                _ => Err(Locked { by }),
            };
        }
        let seen = self.seen_by(transaction, row).cloned();
        Ok(match (&operation.what, seen) {
            (What::GetForUpdate, None) => Outcome::Read(None),
            (What::GetForUpdate, seen) => {
                self.locks.insert(row.to_owned(), transaction);
                Outcome::Read(seen)
            }
            (What::Insert(_), Some(_)) => Outcome::Failed(Failure::Duplicate),
            (What::Put(value) | What::Insert(value), _) => {
                self.write(transaction, row, Some(value.clone()));
                Outcome::Written
            }
            (What::Delete, None) => Outcome::Deleted(false),
            (What::Delete, Some(_)) => {
                self.write(transaction, row, None);
                Outcome::Deleted(true)
            }
        })
    }

    fn write(&mut self, transaction: TxId, row: &str, value: Option<Data>) {
        self.locks.insert(row.to_owned(), transaction);
        self.writer(transaction).writes.insert(row.to_owned(), value);
    }

    fn writer(&mut self, transaction: TxId) -> &mut Transaction {
        self.open.get_mut(&transaction).expect("only open transactions come here")
    }

    fn seen_by(&self, transaction: TxId, row: &str) -> Option<&Data> {
        match self.open.get(&transaction).and_then(|t| t.writes.get(row)) {
            Some(written) => written.as_ref(),
            None => self.committed.get(row),
        }
    }

    /// Whether `from` waits for `to`, itself or by way of others. Who waits, waits for one row, and so for the one
    /// transaction that has locked it. Those before it in the queue need no look: when one of them gets the lock it
    /// waits for nobody, and from then on it is the one that has locked the row.
    fn leads_to(&self, from: TxId, to: TxId) -> bool {
        let waits_for = |t: &TxId| self.locks.get(&self.open.get(t)?.waits.as_ref()?.row).copied();
        std::iter::successors(Some(from), waits_for).any(|t| t == to)
    }

    fn end(&mut self, transaction: TxId, ending: Ending) {
        let Some(ended) = self.open.remove(&transaction) else { return };
        if let Some(Operation { row, .. }) = ended.waits {
            self.leave_queue(&row, transaction);
        }
        if ending == Ending::Commit {
            for (row, written) in ended.writes {
                match written {
                    Some(value) => self.committed.insert(row, value),
                    None => self.committed.remove(&row),
                };
            }
        }
        let unlocked: Vec<String> =
            self.locks.extract_if(.., |_, holder| *holder == transaction).map(|(row, _)| row).collect();
        for row in unlocked {
            self.resume(&row);
        }
    }

    /// Tries the operations that wait for a row again, in order. One that takes the lock makes the later ones go on
    /// waiting, but for inserts that have become duplicates.
    fn resume(&mut self, row: &str) {
        for transaction in self.queues.remove(row).unwrap_or_default() {
            let operation = self.writer(transaction).waits.take().expect("who is in a queue waits");
            match self.attempt(transaction, &operation) {
                Ok(outcome) => self.resumed.push((transaction, outcome)),
                Err(Locked { .. }) => {
                    self.writer(transaction).waits = Some(operation);
                    self.queues.entry(row.to_owned()).or_default().push(transaction);
                }
            }
        }
    }

    fn leave_queue(&mut self, row: &str, transaction: TxId) {
        if let Some(queue) = self.queues.get_mut(row) {
            queue.retain(|waiting| *waiting != transaction);
            if queue.is_empty() {
                self.queues.remove(row);
            }
        }
    }
}

/// Another transaction is in the way.
struct Locked {
    by: TxId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Commit,
    Rollback,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store with these rows.
    fn store(rows: &[(&str, i64)]) -> RowStore {
        let mut store = RowStore::default();
        let t = store.begin();
        for (row, value) in rows {
            assert_eq!(store.put(t, row, *value), Ok(Step::Done(())));
        }
        store.commit(t).unwrap();
        store
    }

    fn value(number: i64) -> Option<Data> {
        Some(Data::Int(number))
    }

    #[test]
    fn a_plain_read_sees_what_is_committed_or_its_own_writes_and_never_waits() {
        let mut store = store(&[("a", 1)]);
        let (t, other) = (store.begin(), store.begin());
        store.put(t, "a", 2).unwrap();
        store.insert(t, "b", 3).unwrap();
        assert_eq!((store.get(t, "a"), store.get(t, "b")), (Ok(value(2)), Ok(value(3))));
        assert_eq!((store.get(other, "a"), store.get(other, "b")), (Ok(value(1)), Ok(None)));
        store.delete(t, "a").unwrap();
        assert_eq!((store.get(t, "a"), store.get(other, "a")), (Ok(None), Ok(value(1))));
        store.commit(t).unwrap();
        // Read committed: the same transaction may see another value the next time.
        assert_eq!((store.get(other, "a"), store.get(other, "b")), (Ok(None), Ok(value(3))));
    }

    #[test]
    fn a_rollback_leaves_nothing_but_a_spent_number() {
        let mut store = store(&[("a", 1)]);
        let committed = store.committed.clone();
        let t = store.begin();
        store.put(t, "a", 2).unwrap();
        store.insert(t, "b", 2).unwrap();
        store.rollback(t).unwrap();
        assert_eq!(store.committed, committed);
        assert!(store.locks.is_empty() && store.open.is_empty());
        assert_ne!(store.begin(), t);
    }

    #[test]
    fn a_row_is_locked_by_one_and_the_next_sees_what_was_committed_meanwhile() {
        let mut store = store(&[("a", 1)]);
        let (t, other) = (store.begin(), store.begin());
        assert_eq!(store.get_for_update(t, "a"), Ok(Step::Done(value(1))));
        assert_eq!(store.get_for_update(other, "a"), Ok(Step::Waits));
        assert_eq!(store.locked_by("a"), Some(t));
        store.put(t, "a", 2).unwrap();
        store.commit(t).unwrap();
        assert_eq!(store.take_resumed(), [(other, Outcome::Read(value(2)))]);
        assert_eq!(store.locked_by("a"), Some(other));
    }

    #[test]
    fn a_missing_row_cannot_be_locked_and_the_second_first_write_wins() {
        let mut store = RowStore::default();
        let (t, other) = (store.begin(), store.begin());
        assert_eq!(store.get_for_update(t, "a"), Ok(Step::Done(None)));
        assert_eq!(store.get_for_update(other, "a"), Ok(Step::Done(None)));
        assert_eq!(store.locked_by("a"), None);
        store.put(t, "a", 34).unwrap();
        assert_eq!(store.put(other, "a", 33), Ok(Step::Waits));
        store.commit(t).unwrap();
        assert_eq!(store.take_resumed(), [(other, Outcome::Written)]);
        store.commit(other).unwrap();
        assert_eq!(store.committed("a"), Some(&Data::Int(33)));
    }

    #[test]
    fn an_insert_of_a_row_that_exists_is_a_duplicate_and_the_transaction_goes_on() {
        let mut store = store(&[("a", 1)]);
        let t = store.begin();
        assert_eq!(store.insert(t, "a", 2), Err(Failure::Duplicate));
        assert_eq!(store.locked_by("a"), None);
        assert_eq!(store.insert(t, "b", 2), Ok(Step::Done(())));
        assert_eq!(store.insert(t, "b", 3), Err(Failure::Duplicate));
        store.delete(t, "a").unwrap();
        assert_eq!(store.insert(t, "a", 4), Ok(Step::Done(())));
        store.commit(t).unwrap();
        assert_eq!((store.committed("a"), store.committed("b")), (Some(&Data::Int(4)), Some(&Data::Int(2))));
    }

    #[test]
    fn an_insert_waits_while_another_transaction_decides_whether_the_row_exists() {
        let duplicate = Outcome::Failed(Failure::Duplicate);
        for (rows, ending, outcome) in [
            // The other transaction writes a row that is not there, or deletes one that is.
            (&[][..], Ending::Commit, duplicate.clone()),
            (&[], Ending::Rollback, Outcome::Written),
            (&[("a", 1)], Ending::Commit, Outcome::Written),
            (&[("a", 1)], Ending::Rollback, duplicate),
        ] {
            let mut store = store(rows);
            let (t, other) = (store.begin(), store.begin());
            if rows.is_empty() {
                store.insert(t, "a", 2).unwrap();
            } else {
                store.delete(t, "a").unwrap();
            }
            assert_eq!(store.insert(other, "a", 3), Ok(Step::Waits));
            store.end(t, ending);
            assert_eq!(store.take_resumed(), [(other, outcome)]);
        }
    }

    #[test]
    fn an_insert_does_not_wait_for_who_cannot_change_that_the_row_exists() {
        let mut store = store(&[("a", 1)]);
        let (t, other) = (store.begin(), store.begin());
        store.get_for_update(t, "a").unwrap();
        assert_eq!(store.insert(other, "a", 3), Err(Failure::Duplicate));
        store.put(t, "a", 2).unwrap();
        assert_eq!(store.insert(other, "a", 3), Err(Failure::Duplicate));
    }

    #[test]
    fn a_waiting_insert_is_told_of_the_duplicate_though_the_next_has_the_lock() {
        let mut store = RowStore::default();
        let (t, reader, inserter) = (store.begin(), store.begin(), store.begin());
        store.insert(t, "a", 1).unwrap();
        assert_eq!(store.get_for_update(reader, "a"), Ok(Step::Waits));
        assert_eq!(store.insert(inserter, "a", 2), Ok(Step::Waits));
        store.commit(t).unwrap();
        let told = [(reader, Outcome::Read(value(1))), (inserter, Outcome::Failed(Failure::Duplicate))];
        assert_eq!(store.take_resumed(), told);
    }

    #[test]
    fn waiting_operations_that_find_no_row_take_no_lock_and_hold_nobody_up() {
        let mut store = RowStore::default();
        let t = store.begin();
        let [reader, deleter, writer, last] = [(); 4].map(|()| store.begin());
        store.insert(t, "a", 1).unwrap();
        assert_eq!(store.get_for_update(reader, "a"), Ok(Step::Waits));
        assert_eq!(store.delete(deleter, "a"), Ok(Step::Waits));
        assert_eq!(store.put(writer, "a", 2), Ok(Step::Waits));
        assert_eq!(store.get_for_update(last, "a"), Ok(Step::Waits));
        store.rollback(t).unwrap();
        let told = [(reader, Outcome::Read(None)), (deleter, Outcome::Deleted(false)), (writer, Outcome::Written)];
        assert_eq!(store.take_resumed(), told);
        assert_eq!(store.locked_by("a"), Some(writer));
        store.rollback(writer).unwrap();
        assert_eq!(store.take_resumed(), [(last, Outcome::Read(None))]);
        assert_eq!(store.locked_by("a"), None);
    }

    #[test]
    fn a_delete_of_no_row_takes_no_lock() {
        let mut store = store(&[("a", 1)]);
        let t = store.begin();
        assert_eq!(store.delete(t, "x"), Ok(Step::Done(false)));
        assert_eq!(store.delete(t, "a"), Ok(Step::Done(true)));
        assert_eq!(store.delete(t, "a"), Ok(Step::Done(false)));
        assert_eq!((store.locked_by("x"), store.locked_by("a")), (None, Some(t)));
        assert_eq!(store.get_for_update(t, "a"), Ok(Step::Done(None)));
        store.commit(t).unwrap();
        assert_eq!(store.committed("a"), None);
    }

    #[test]
    fn those_who_wait_are_served_by_row_and_then_in_the_order_in_which_they_came() {
        let mut store = store(&[("a", 1), ("b", 1)]);
        let t = store.begin();
        let [one, two, three] = [(); 3].map(|()| store.begin());
        store.put(t, "b", 2).unwrap();
        store.put(t, "a", 2).unwrap();
        for (waiting, row) in [(one, "b"), (three, "a"), (two, "a")] {
            assert_eq!(store.get_for_update(waiting, row), Ok(Step::Waits));
        }
        store.commit(t).unwrap();
        let told = [(three, Outcome::Read(value(2))), (one, Outcome::Read(value(2)))];
        assert_eq!(store.take_resumed(), told);
        store.commit(three).unwrap();
        assert_eq!(store.take_resumed(), [(two, Outcome::Read(value(2)))]);
    }

    #[test]
    fn a_wait_that_would_close_a_circle_is_a_deadlock_and_rolls_back_who_asked() {
        let mut store = store(&[("a", 1), ("b", 1), ("c", 1)]);
        let [one, two, three] = [(); 3].map(|()| store.begin());
        for (t, row) in [(one, "a"), (two, "b"), (three, "c")] {
            store.put(t, row, 2).unwrap();
        }
        assert_eq!(store.put(one, "b", 3), Ok(Step::Waits));
        assert_eq!(store.put(two, "c", 3), Ok(Step::Waits));
        assert_eq!(store.get_for_update(three, "a"), Err(Failure::Deadlock));
        assert_eq!(store.take_resumed(), [(two, Outcome::Written)]);
        assert_eq!(store.get(three, "a"), Err(Failure::NoSuchTransaction));
        store.commit(two).unwrap();
        assert_eq!(store.take_resumed(), [(one, Outcome::Written)]);
        store.commit(one).unwrap();
        assert_eq!(["a", "b", "c"].map(|row| store.committed(row).cloned()), [value(2), value(3), value(3)]);
    }

    #[test]
    fn a_chain_of_waits_that_ends_at_somebody_who_goes_on_is_no_deadlock() {
        let mut store = store(&[("a", 1), ("b", 1)]);
        let [one, two, three, four] = [(); 4].map(|()| store.begin());
        store.put(one, "a", 2).unwrap();
        store.put(two, "b", 2).unwrap();
        for (waiting, row) in [(two, "a"), (three, "b"), (four, "b")] {
            assert_eq!(store.put(waiting, row, 3), Ok(Step::Waits));
        }
        for t in [one, two, three, four] {
            store.commit(t).unwrap();
        }
        assert_eq!(store.take_resumed(), [two, three, four].map(|t| (t, Outcome::Written)));
    }

    #[test]
    fn a_circle_is_seen_that_runs_through_who_got_the_lock_meanwhile() {
        let mut store = store(&[("a", 1), ("b", 1)]);
        let [first, second, third] = [(); 3].map(|()| store.begin());
        store.put(first, "a", 2).unwrap();
        store.put(third, "b", 2).unwrap();
        assert_eq!(store.put(second, "a", 2), Ok(Step::Waits));
        assert_eq!(store.put(third, "a", 2), Ok(Step::Waits));
        store.commit(first).unwrap();
        assert_eq!(store.put(second, "b", 2), Err(Failure::Deadlock));
        assert_eq!(store.take_resumed(), [(second, Outcome::Written), (third, Outcome::Written)]);
    }

    #[test]
    fn who_waits_takes_no_other_operation_but_a_rollback() {
        let mut store = store(&[("a", 1)]);
        let (t, other) = (store.begin(), store.begin());
        store.put(t, "a", 2).unwrap();
        assert_eq!(store.put(other, "a", 3), Ok(Step::Waits));
        assert_eq!(store.put(other, "b", 3), Err(Failure::Busy));
        assert_eq!(store.get(other, "a"), Err(Failure::Busy));
        assert_eq!(store.commit(other), Err(Failure::Busy));
        assert_eq!(store.rollback(other), Ok(()));
        store.commit(t).unwrap();
        assert_eq!(store.take_resumed(), []);
        assert_eq!(store.committed("a"), Some(&Data::Int(2)));
    }

    #[test]
    fn an_ended_transaction_takes_nothing() {
        let mut store = RowStore::default();
        let t = store.begin();
        store.commit(t).unwrap();
        for never in [t, TxId(99)] {
            assert_eq!(store.get(never, "a"), Err(Failure::NoSuchTransaction));
            assert_eq!(store.get_for_update(never, "a"), Err(Failure::NoSuchTransaction));
            assert_eq!(store.put(never, "a", 1), Err(Failure::NoSuchTransaction));
            assert_eq!(store.insert(never, "a", 1), Err(Failure::NoSuchTransaction));
            assert_eq!(store.delete(never, "a"), Err(Failure::NoSuchTransaction));
            assert_eq!(store.commit(never), Err(Failure::NoSuchTransaction));
            assert_eq!(store.rollback(never), Err(Failure::NoSuchTransaction));
        }
    }

    #[test]
    fn a_restart_rolls_open_transactions_back_and_keeps_what_was_committed() {
        let mut store = store(&[("a", 1)]);
        let (t, other) = (store.begin(), store.begin());
        store.put(t, "a", 2).unwrap();
        assert_eq!(store.put(other, "a", 3), Ok(Step::Waits));
        assert_eq!(store.open_transactions(), 2);
        store.restart();
        assert_eq!((store.open_transactions(), store.take_resumed()), (0, vec![]));
        assert_eq!(store.committed("a"), Some(&Data::Int(1)));
        assert_eq!(store.commit(t), Err(Failure::NoSuchTransaction));
        let new = store.begin();
        assert!(new > other);
        assert_eq!(store.put(new, "a", 4), Ok(Step::Done(())));
    }
}
