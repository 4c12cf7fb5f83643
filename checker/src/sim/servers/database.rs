//! The database with row locks.

use super::bad_request;
use crate::model::data::Data;
use crate::model::row_store::{Failure, Outcome, RowStore, Step, TxId};
use crate::sim::server::{Answer, Outbox, Request, Server};
use crate::trace::{Happening, Reply};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// A database on the network, under the name `database`.
#[derive(Debug, Default)]
pub struct DatabaseServer {
    store: RowStore,
    /// By transaction: the client that began it, and the call that waits for a lock.
    transactions: BTreeMap<TxId, (usize, Option<u32>)>,
}

impl DatabaseServer {
    /// On top of a store.
    pub fn new(store: RowStore) -> Self {
        DatabaseServer { store, ..DatabaseServer::default() }
    }

    /// What was committed last under a row.
    pub fn committed(&self, row: &str) -> Option<&Data> {
        self.store.committed(row)
    }

    /// Answers the calls that waited and need not any longer.
    fn resume(&mut self, out: &mut Outbox) {
        for (transaction, outcome) in self.store.take_resumed() {
            let Some((client, waiting)) = self.transactions.get_mut(&transaction) else { continue };
            let Some(call) = waiting.take() else { continue };
            let text = format!("transaction {} goes on", transaction.0);
            let reply = Reply::Other { text };
            out.happened.push(Happening::Served { client: *client, name: "database".to_owned(), reply });
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
                if let Some((_, waiting)) = self.transactions.get_mut(&transaction) {
                    *waiting = Some(call);
                }
                None
            }
            Err(failure) => Some(failed(failure)),
        }
    }
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
        let answer = match (request.verb, request.args) {
            ("begin", []) => {
                let transaction = self.store.begin();
                self.transactions.insert(transaction, (request.client, None));
                Some(Ok(Data::Int(i64::try_from(transaction.0).unwrap_or(i64::MAX))))
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
            ("commit", [Data::Int(tx)]) => Some(self.store.commit(id(tx)).map(|()| Data::None).or_else(failed)),
            ("rollback", [Data::Int(tx)]) => Some(self.store.rollback(id(tx)).map(|()| Data::None).or_else(failed)),
            (verb, _) => {
                Some(bad_request(format!("{verb} is called with the wrong arguments, see the database's methods")))
            }
        };
        let text = match &answer {
            None => format!("{} waits for a lock", request.verb),
            Some(Ok(_)) => format!("{} done", request.verb),
            Some(Err((class, _))) => format!("{}: {class}", request.verb),
        };
        let reply = Reply::Other { text };
        out.happened.push(Happening::Served { client: request.client, name: "database".to_owned(), reply });
        out.answers.extend(answer.map(|answer| (call, answer)));
        self.resume(out);
    }

    fn restart(&mut self, _: u64, out: &mut Outbox) {
        self.store.restart();
        for (_, waiting) in std::mem::take(&mut self.transactions).into_values() {
            let gone = ("TransactionOver", "the database restarted and rolled this transaction back".to_owned());
            out.answers.extend(waiting.map(|call| (call, Err(gone))));
        }
    }

    fn hang_up(&mut self, client: usize, _: u64, out: &mut Outbox) {
        let gone: Vec<TxId> = self.transactions.iter().filter(|(_, (c, _))| *c == client).map(|(tx, _)| *tx).collect();
        for transaction in gone {
            self.transactions.remove(&transaction);
            // One that has ended already has nothing to undo.
            let _ = self.store.rollback(transaction);
        }
        self.resume(out);
    }

    fn digest(&self, mut hasher: &mut dyn Hasher) {
        self.store.hash(&mut hasher);
        self.transactions.iter().for_each(|(tx, (client, waiting))| (tx, client, waiting.is_some()).hash(&mut hasher));
    }
}
