//! `touchstone token`.

use super::{print, print_json, say, text};
use clap::Subcommand;
use domain::Scope;
use serde_json::json;
use service::{ApiTokenRequest, Service};

#[derive(Subcommand)]
pub(super) enum Tokens {
    /// Make a token that lets a program in, in the name of a person; it is printed once and kept nowhere
    #[command(after_help = "Example: touchstone token create ci --user ada --project shop --scope read,gate")]
    Create {
        /// What it is for
        name: String,
        /// Account of the person; the token never may do more than that person
        #[arg(long, value_name = "ACCOUNT")]
        user: String,
        /// This project only; every project of the person where absent
        #[arg(long)]
        project: Option<String>,
        /// What it may be used for, separated by commas
        #[arg(
            long,
            value_delimiter = ',',
            default_value = "read",
            value_name = "read,gate,judge,score,import"
        )]
        scope: Vec<Scope>,
        /// For how many days it works, at most 366
        #[arg(long, default_value_t = 90)]
        days: u32,
    },
    /// List the tokens that were not revoked
    List,
    /// End a token for good
    #[command(after_help = "Example: touchstone token revoke ts_0123abcd")]
    Revoke {
        #[arg(value_name = "ts_PREFIX")]
        prefix: String,
    },
}

pub(super) async fn run(service: &Service, command: Tokens, json: bool) -> anyhow::Result<u8> {
    match command {
        Tokens::Create { name, user, project, scope, days } => {
            let user = service.account(&user).await?;
            let request = ApiTokenRequest { name, project, scopes: scope, days };
            let token = service.create_api_token(user, &request, None).await?;
            if json {
                print_json(&json!({ "token": token }))?;
            } else {
                print(&token)?;
                say("This is the only time that it is shown. Set it as TOUCHSTONE_TOKEN where it is needed.");
            }
        }
        Tokens::List => {
            let tokens = service.api_tokens(None).await?;
            if json {
                print_json(&tokens)?;
                return Ok(0);
            }
            let header = ["token", "of", "for", "project", "scopes", "expires", "last used"];
            let mut rows = vec![header.map(str::to_owned).to_vec()];
            rows.extend(tokens.into_iter().map(|token| {
                let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.word()).collect();
                vec![
                    format!("ts_{}", token.prefix),
                    token.account,
                    token.name,
                    token.project.unwrap_or_else(|| "(all)".to_owned()),
                    scopes.join(","),
                    token.expires,
                    token.last_used.unwrap_or_else(|| "–".to_owned()),
                ]
            }));
            print(&text::columns(&rows))?;
        }
        Tokens::Revoke { prefix } => {
            service.revoke_api_token(&prefix, None).await?;
            say("The token is revoked, and works no longer.");
        }
    }
    Ok(0)
}
