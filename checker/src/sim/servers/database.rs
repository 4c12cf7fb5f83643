//! The database with row locks.

use super::{bad_request, int};
use crate::model::data::Data;
use crate::model::row_store::{Failure, Outcome, RowStore, Step, TxId};
use crate::sim::server::{Answer, Outbox, Request, Server};
use crate::time::{SECOND_US, seconds};
use crate::trace::{Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// After so long without a word from its client an open transaction is rolled back, virtual microseconds. Without this a
/// lost `rollback` would keep its locks for ever (PostgreSQL: `idle_in_transaction_session_timeout`).
pub const IDLE_US: u64 = 10 * SECOND_US;

/// A database on the network, under the name `database`.
#[derive(Debug, Default)]
pub struct DatabaseServer {
    store: RowStore,
    open: BTreeMap<TxId, Open>,
}

/// An open transaction.
#[derive(Debug)]
struct Open {
    /// Who began it.
    client: usize,
    /// The call that waits for a lock.
    waiting: Option<u32>,
    /// When its client was last heard of, or told that its wait is over.
    heard_us: u64,
}

impl DatabaseServer {
    /// On top of a store.
    pub fn new(store: RowStore) -> Self {
        DatabaseServer { store, ..DatabaseServer::default() }
    }

    /// Answers the calls that waited and need not any longer.
    fn resume(&mut self, now_us: u64, out: &mut Outbox) {
        for (transaction, outcome) in self.store.take_resumed() {
            let Some(open) = self.open.get_mut(&transaction) else { continue };
            let Some(call) = open.waiting.take() else { continue };
            open.heard_us = now_us;
            out.happened.push(tells(open.client, format!("transaction {} goes on", transaction.0)));
            out.answers.push((call, answer_of(outcome)));
        }
    }

    fn step<T>(
        &mut self,
        call: u32,
        transaction: TxId,
        step: Result<Step<T>, Failure>,
        data: fn(T) -> Data,
    ) -> Option<Answer> {
        match step {
            Ok(Step::Done(value)) => Some(Ok(data(value))),
            Ok(Step::Waits) => {
                if let Some(open) = self.open.get_mut(&transaction) {
                    open.waiting = Some(call);
                }
                None
            }
            Err(failure) => {
                if failure == Failure::Deadlock {
                    self.open.remove(&transaction);
                }
                Some(failed(failure))
            }
        }
    }
}

fn tells(client: usize, text: String) -> Happening {
    Happening::Served { client, name: "database".to_owned(), reply: Reply::Other { text } }
}

fn failed(failure: Failure) -> Answer {
    let class = match failure {
        Failure::Duplicate => "Duplicate",
        Failure::Deadlock => "Deadlock",
        Failure::NoSuchTransaction => "TransactionOver",
        _ => "BadRequest",
    };
    Err((class, failure.to_string()))
}

fn answer_of(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Read(value) => Ok(value.unwrap_or_default()),
        Outcome::Failed(failure) => failed(failure),
        _ => Ok(Data::None),
    }
}

impl Server for DatabaseServer {
    fn name(&self) -> &'static str {
        "database"
    }

    fn serve(&mut self, request: &Request<'_>, out: &mut Outbox) {
        let id = |n: &i64| TxId(n.unsigned_abs());
        let call = request.call;
        if let Some(Data::Int(tx)) = request.args.first()
            && let Some(open) = self.open.get_mut(&id(tx))
        {
            open.heard_us = request.now_us;
        }
        let answer = match (request.verb, request.args) {
            ("begin", []) => {
                let transaction = self.store.begin();
                let open = Open { client: request.client, waiting: None, heard_us: request.now_us };
                self.open.insert(transaction, open);
                Some(Ok(int(transaction.0)))
            }
            ("get", [Data::Int(tx), Data::Str(row)]) => {
                Some(self.store.get(id(tx), row).map(Option::unwrap_or_default).or_else(failed))
            }
            ("get_for_update", [Data::Int(tx), Data::Str(row)]) => {
                let step = self.store.get_for_update(id(tx), row);
                self.step(call, id(tx), step, Option::unwrap_or_default)
            }
            ("put", [Data::Int(tx), Data::Str(row), value]) => {
                let step = self.store.put(id(tx), row, value.clone());
                self.step(call, id(tx), step, |()| Data::None)
            }
            ("insert", [Data::Int(tx), Data::Str(row), value]) => {
                let step = self.store.insert(id(tx), row, value.clone());
                self.step(call, id(tx), step, |()| Data::None)
            }
            ("delete", [Data::Int(tx), Data::Str(row)]) => {
                let step = self.store.delete(id(tx), row);
                self.step(call, id(tx), step, Data::Bool)
            }
            (verb @ ("commit" | "rollback"), [Data::Int(tx)]) => {
                let end = if verb == "commit" { RowStore::commit } else { RowStore::rollback };
                let ended = end(&mut self.store, id(tx));
                if ended.is_ok() {
                    self.open.remove(&id(tx));
                }
                Some(ended.map(|()| Data::None).or_else(failed))
            }
            (verb, [Data::Int(_), row, ..]) if !matches!(row, Data::Str(_)) => {
                let kind = row.kind();
                Some(bad_request(format!("{verb}: the name of a row is a text (str), and not {kind}, such as {row}")))
            }
            (verb, _) => {
                Some(bad_request(format!("{verb} is called with the wrong arguments, see the database's methods")))
            }
        };
        let text = match &answer {
            None => format!("{} waits for a lock", request.verb),
            Some(Ok(_)) => format!("{} done", request.verb),
            Some(Err((class, _))) => format!("{}: {class}", request.verb),
        };
        out.happened.push(tells(request.client, text));
        out.answers.extend(answer.map(|answer| (call, answer)));
        self.resume(request.now_us, out);
    }

    fn next_due(&self) -> Option<u64> {
        self.open.values().filter(|o| o.waiting.is_none()).map(|o| o.heard_us + IDLE_US).min()
    }

    fn due(&mut self, now_us: u64, out: &mut Outbox) {
        let is_idle = |_: &TxId, o: &mut Open| o.waiting.is_none() && o.heard_us + IDLE_US <= now_us;
        for (transaction, open) in self.open.extract_if(.., is_idle) {
            // It is open: there is something to undo.
            let _ = self.store.rollback(transaction);
            let text = format!("transaction {} was idle for {}: rolled back", transaction.0, seconds(IDLE_US));
            out.happened.push(tells(open.client, text));
        }
        self.resume(now_us, out);
    }

    fn restart(&mut self, _: u64, out: &mut Outbox) {
        self.store.restart();
        for open in std::mem::take(&mut self.open).into_values() {
            let gone = ("TransactionOver", "the database restarted and rolled this transaction back".to_owned());
            out.answers.extend(open.waiting.map(|call| (call, Err(gone))));
        }
    }

    fn hang_up(&mut self, client: usize, now_us: u64, out: &mut Outbox) {
        for (transaction, _) in self.open.extract_if(.., |_, open| open.client == client) {
            // It is open: there is something to undo.
            let _ = self.store.rollback(transaction);
        }
        self.resume(now_us, out);
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.store.hash(&mut hasher);
        for (tx, open) in &self.open {
            (tx, open.client, open.waiting.is_some(), open.heard_us).hash(&mut hasher);
        }
    }
}
