-- What is taken out of every row before it is stored, and which placeholder each value has. The values themselves are not kept.
create table redaction (
    project_id blob primary key not null references project (id),
    -- the rules, as JSON
    rules text not null,
    -- keys the hashes of values, so that nobody finds them from a list of hashes that was made elsewhere
    secret blob not null check (length(secret) = 32),
    changed_at integer not null
) strict, without rowid;
create trigger redaction_keeps_its_secret before update of secret on redaction begin select raise(abort, 'the secret of a project never changes: placeholders would lose their values'); end;

create table placeholder (
    project_id blob not null references project (id),
    -- name of the rule, which the placeholder says
    rule text not null,
    -- HMAC-SHA256 of the value
    value_hash blob not null check (length(value_hash) = 32),
    number integer not null check (number > 0),
    primary key (project_id, rule, value_hash),
    unique (project_id, rule, number)
) strict, without rowid;
create trigger placeholder_is_append_only_on_update before update on placeholder begin select raise(abort, 'placeholders are append-only'); end;
create trigger placeholder_is_append_only_on_delete before delete on placeholder begin select raise(abort, 'placeholders are append-only'); end;
