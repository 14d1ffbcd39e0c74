//! `touchstone redaction`.

use super::{print, print_json, say};
use clap::Subcommand;
use domain::{OwnRule, PrivateKind, RedactionRules};
use service::Service;

#[derive(Subcommand)]
pub(super) enum Redaction {
    /// The rules as they stand
    #[command(after_help = "Example: touchstone redaction show --project shop --json")]
    Show {
        #[arg(long)]
        project: String,
    },
    /// Set the rules: those that are named, and no others. They hold for what is imported from then on
    #[command(
        after_help = "Example: touchstone redaction set --project shop --kind e-mail,phone,iban,card --order 'ORD-######' --own 'customer=K[0-9]{6}'"
    )]
    Set {
        #[arg(long)]
        project: String,
        /// Kinds that are known, separated by commas: e-mail, phone, iban, card
        #[arg(long, value_delimiter = ',', value_name = "KIND,…")]
        kind: Vec<PrivateKind>,
        /// How numbers of orders look: # is a digit, ? a letter, all else itself; once for each
        #[arg(long, value_name = "PATTERN")]
        order: Vec<String>,
        /// A regular expression under a name, which placeholders say; once for each
        #[arg(long, value_name = "NAME=EXPRESSION")]
        own: Vec<OwnRule>,
        /// Take nothing out
        #[arg(long, conflicts_with_all = ["kind", "order", "own"])]
        none: bool,
    },
}

pub(super) async fn run(service: &Service, command: Redaction, json: bool) -> anyhow::Result<u8> {
    let project = match command {
        Redaction::Show { project } => project,
        Redaction::Set { project, kind, order, own, none } => {
            let mut kinds = kind;
            kinds.dedup();
            let rules = RedactionRules { kinds, orders: order, own };
            if rules.is_empty() && !none {
                anyhow::bail!("name a rule, or say --none to take nothing out");
            }
            let id = service.project(&project).await?.id;
            service.set_redaction_rules(id, &rules, None).await?;
            project
        }
    };
    let id = service.project(&project).await?.id;
    let rules = service.redaction_rules(id).await?;
    if json {
        print_json(&rules)?;
    } else if rules.is_empty() {
        say("nothing is taken out of what is imported");
    } else {
        print(&in_words(&rules))?;
    }
    Ok(0)
}

fn in_words(rules: &RedactionRules) -> String {
    let kinds = rules.kinds.iter().map(PrivateKind::to_string);
    let orders = rules.orders.iter().map(|pattern| format!("{} {}", domain::ORDER, domain::visible(pattern)));
    let own = rules.own.iter().map(|own| domain::visible(&own.to_string()));
    kinds.chain(orders).chain(own).collect::<Vec<_>>().join("\n")
}
