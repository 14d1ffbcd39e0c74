//! `touchstone user`.

use super::{print, print_json, say};
use clap::Subcommand;
use domain::Role;
use serde_json::json;
use service::Service;
use std::io::Read;

#[derive(Subcommand)]
pub(super) enum People {
    /// Make an account; the password is read from standard input
    #[command(after_help = "Example: touchstone user create ada < password.txt")]
    Create {
        name: String,
        /// Admin of the installation
        #[arg(long)]
        admin: bool,
    },
    /// Print a one-time link that makes its user a member of a project
    #[command(after_help = "Example: touchstone user invite --project shop --role annotator")]
    Invite {
        #[arg(long)]
        project: String,
        #[arg(long, value_name = "annotator|engineer|lead|admin")]
        role: Role,
        /// What the link begins with
        #[arg(long, default_value = "http://127.0.0.1:3000", value_name = "ORIGIN")]
        public_origin: String,
    },
    /// Shut a person out; labels stay
    #[command(after_help = "Example: touchstone user disable ada")]
    Disable { account: String },
    /// List the accounts
    List,
}

/// Longest password file that is read.
const LONGEST: u64 = 4096;

pub(super) async fn run(service: &Service, command: People, json: bool) -> anyhow::Result<u8> {
    match command {
        People::Create { name, admin } => {
            let mut password = String::new();
            std::io::stdin().lock().take(LONGEST).read_to_string(&mut password)?;
            let user = service.create_user(&name, password.trim_end_matches(['\r', '\n']), admin).await?;
            say(&format!("Account `{}` is made.", user.account));
        }
        People::Invite { project, role, public_origin } => {
            let project = service.project(&project).await?.id;
            let token = service.invite(project, role, None).await?;
            let link = format!("{}/invitation/{token}", public_origin.trim_end_matches('/'));
            if json {
                print_json(&json!({ "link": link }))?;
            } else {
                print(&link)?;
            }
        }
        People::Disable { account } => {
            service.disable_user(&account, None).await?;
            say(&format!("`{account}` is shut out; all sessions have ended."));
        }
        People::List => {
            let users = service.store().users().await?;
            if json {
                let row = |user: &store::User| json!({"name": user.name, "account": user.account, "admin": user.is_admin, "disabled": user.disabled});
                print_json(&users.iter().map(row).collect::<Vec<_>>())?;
            } else {
                for user in users {
                    let marks = [(user.is_admin, "admin"), (user.disabled, "disabled")];
                    let marks: Vec<&str> =
                        marks.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect();
                    print(&format!("{}\t{}\t{}", user.account, user.name, marks.join(" ")))?;
                }
            }
        }
    }
    Ok(0)
}
