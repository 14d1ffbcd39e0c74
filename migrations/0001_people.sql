-- Who may do what: accounts, their sessions, invitations, and the membership of projects.

create table project (
    id blob primary key not null,
    name text not null unique,
    -- how many annotators each conversation wants
    overlap integer not null default 2 check (overlap between 1 and 100),
    created_at integer not null
) strict;

create table user (
    id blob primary key not null,
    name text not null,
    -- the name in lower case: what signing in looks up
    account text not null unique,
    password_hash text not null,
    -- admin of the installation, and so of every project
    is_admin integer not null default 0 check (is_admin in (0, 1)),
    disabled_at integer,
    created_at integer not null
) strict;

create table membership (
    project_id blob not null references project (id),
    user_id blob not null references user (id),
    role text not null check (role in ('annotator', 'engineer', 'lead', 'admin')),
    created_at integer not null,
    primary key (project_id, user_id)
) strict, without rowid;
create index membership_by_user on membership (user_id);

-- A one-time link. Only the hash of its token is kept.
create table invitation (
    token_hash blob primary key not null,
    -- null: makes an admin of the installation
    project_id blob references project (id),
    role text not null check (role in ('annotator', 'engineer', 'lead', 'admin')),
    invited_by blob references user (id),
    created_at integer not null,
    expires_at integer not null,
    used_at integer,
    used_by blob references user (id)
) strict, without rowid;

-- Only the hash of a session's id is kept: a stolen file holds no usable cookie.
create table session (
    id_hash blob primary key not null,
    user_id blob references user (id),
    data text not null,
    user_agent text,
    created_at integer not null,
    last_seen_at integer not null,
    expires_at integer not null
) strict, without rowid;
create index session_by_user on session (user_id);

create table audit (
    id blob primary key not null,
    at integer not null,
    -- null: whoever holds the file, by the command line
    user_id blob references user (id),
    project_id blob references project (id),
    action text not null,
    detail text not null
) strict;
create index audit_by_project on audit (project_id, at);
create trigger audit_is_append_only_on_update before update on audit begin select raise(abort, 'audit entries are append-only'); end;
create trigger audit_is_append_only_on_delete before delete on audit begin select raise(abort, 'audit entries are append-only'); end;
