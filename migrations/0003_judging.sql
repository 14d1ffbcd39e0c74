-- The agreed human values, the judges, what they said, and what was decided.

-- References built by one rule at one time. Append-only: building again makes another set.
create table reference_set (
    id blob primary key not null,
    project_id blob not null references project (id),
    rule text not null check (rule in ('unanimous', 'majority', 'median', 'adjudicated')),
    -- JSON list of annotator names; empty: all
    annotators text not null,
    data_hash text not null,
    built_at integer not null
) strict;
create index reference_set_by_project on reference_set (project_id, built_at);

create table reference (
    reference_set_id blob not null references reference_set (id),
    conversation_id blob not null references conversation (id),
    criterion text not null,
    unit text not null,
    value real not null,
    provenance text not null check (provenance in ('single', 'unanimous', 'majority', 'median', 'adjudicated')),
    primary key (reference_set_id, conversation_id, criterion, unit)
) strict, without rowid;
create trigger reference_never_changes before update on reference begin select raise(abort, 'a reference never changes; build the references again'); end;
create trigger reference_never_goes before delete on reference begin select raise(abort, 'a reference never changes; build the references again'); end;

-- A frozen, hashed list of items with references: the whole file, as it is exported.
create table anchor_set (
    id blob primary key not null,
    project_id blob not null references project (id),
    name text not null,
    version integer not null check (version > 0),
    body text not null,
    hash text not null,
    frozen_at integer not null,
    unique (project_id, name, version)
) strict;
create trigger anchor_set_never_changes before update on anchor_set begin select raise(abort, 'a frozen anchor set never changes'); end;
create trigger anchor_set_never_goes before delete on anchor_set begin select raise(abort, 'a frozen anchor set never changes'); end;

create table judge (
    id blob primary key not null,
    project_id blob not null references project (id),
    name text not null,
    created_at integer not null,
    unique (project_id, name)
) strict;

create table judge_version (
    id blob primary key not null,
    judge_id blob not null references judge (id),
    version text not null,
    -- what was declared, as JSON
    declared text not null,
    created_at integer not null,
    unique (judge_id, version)
) strict;
create trigger judge_version_never_changes before update on judge_version begin select raise(abort, 'a judge version never changes'); end;
create trigger judge_version_never_goes before delete on judge_version begin select raise(abort, 'a judge version never changes'); end;

-- One instrument: a judge version as one model version that the provider reported. Verdicts of two are never pooled.
create table fingerprint (
    id integer primary key not null,
    judge_version_id blob not null references judge_version (id),
    hash text not null,
    -- the model that was asked for, and the one that answered
    model text,
    reported_model text,
    unique (judge_version_id, hash)
) strict;
create trigger fingerprint_never_changes before update on fingerprint begin select raise(abort, 'a fingerprint never changes'); end;
create trigger fingerprint_never_goes before delete on fingerprint begin select raise(abort, 'a fingerprint never changes'); end;

create table run (
    id blob primary key not null,
    project_id blob not null references project (id),
    judge_version_id blob not null references judge_version (id),
    -- import: verdicts that came as a file
    source text not null check (source in ('import', 'provider')),
    started_at integer not null,
    ended_at integer
) strict;
create index run_by_judge_version on run (judge_version_id);

create table verdict (
    id integer primary key not null,
    run_id blob not null references run (id),
    judge_version_id blob not null references judge_version (id),
    conversation_id blob not null references conversation (id),
    criterion text not null,
    unit text not null,
    repeat integer not null default 0 check (repeat >= 0),
    fingerprint_id integer not null references fingerprint (id),
    value real,
    failure text check (failure in ('off_scale', 'unparsable', 'refused', 'truncated', 'timed_out', 'missing', 'other')),
    failure_says text,
    reason text,
    raw text,
    latency_ms real,
    input_tokens integer,
    output_tokens integer,
    total_tokens integer,
    cost_usd real,
    judged_at integer,
    -- a value or a failure, never both, never neither
    check ((value is null) <> (failure is null)),
    unique (judge_version_id, criterion, conversation_id, unit, repeat)
) strict;
create trigger verdict_is_append_only_on_update before update on verdict begin select raise(abort, 'verdicts are append-only'); end;
create trigger verdict_is_append_only_on_delete before delete on verdict begin select raise(abort, 'verdicts are append-only'); end;

create table decision (
    id blob primary key not null,
    project_id blob not null references project (id),
    outcome text not null check (outcome in ('promote', 'hold', 'inconclusive')),
    candidate text not null,
    incumbent text,
    policy_hash text not null,
    data_hash text not null,
    -- the whole decision with its policy, as JSON
    body text not null,
    decided_by blob references user (id),
    decided_at integer not null
) strict;
create index decision_by_project on decision (project_id, decided_at);
create trigger decision_is_append_only_on_update before update on decision begin select raise(abort, 'decisions are append-only'); end;
create trigger decision_is_append_only_on_delete before delete on decision begin select raise(abort, 'decisions are append-only'); end;

-- Reports that were computed before, under the hash of their data and settings. May be emptied at any time.
create table report (
    key text primary key not null,
    body text not null,
    computed_at integer not null
) strict, without rowid;
