-- By what programs come in, in the name of a person. A token is `ts_PREFIX_SECRET`; only its hash is kept.
create table api_token (
    prefix text primary key not null,
    token_hash blob not null,
    user_id blob not null references user (id),
    -- null: every project that the person belongs to
    project_id blob references project (id),
    name text not null,
    -- words, parted by spaces
    scopes text not null,
    created_at integer not null,
    expires_at integer not null,
    last_used_at integer,
    revoked_at integer
) strict, without rowid;
create index api_token_by_user on api_token (user_id);
create trigger api_token_grants_what_it_did before update of prefix, token_hash, user_id, project_id, name, scopes, created_at, expires_at on api_token begin select raise(abort, 'what a token grants never changes; make another'); end;
create trigger api_token_stays_revoked before update of revoked_at on api_token when old.revoked_at is not null begin select raise(abort, 'a token that was revoked stays so'); end;
create trigger api_token_never_goes before delete on api_token begin select raise(abort, 'a token is revoked, not deleted'); end;
