-- Promoted judges that are asked again about the anchor set that they were promoted on. What they answer is no verdict: no other figure sees it.

create table recalibration (
    id blob primary key not null,
    project_id blob not null references project (id),
    judge_version_id blob not null references judge_version (id),
    -- the frozen set, by its hash, and its split
    anchor_hash text not null,
    split text not null check (split in ('tune', 'confirm')),
    repeats integer not null check (repeats between 1 and 100),
    requested_by blob references user (id),
    begun_at integer not null
) strict;
create index recalibration_by_judge on recalibration (judge_version_id, anchor_hash, split, begun_at);

create table recalibration_answer (
    id integer primary key not null,
    recalibration_id blob not null references recalibration (id),
    conversation_id blob not null references conversation (id),
    unit text not null,
    criterion text not null,
    repeat integer not null,
    -- hash of the judge version and the model version that answered
    fingerprint text not null,
    reported_model text,
    value real,
    failure text check (failure in ('off_scale', 'unparsable', 'refused', 'truncated', 'timed_out', 'missing', 'other')),
    failure_says text,
    reason text,
    raw text,
    latency_ms real,
    cost_usd real,
    judged_at integer not null,
    -- a value or a failure, never both, never neither
    check ((value is null) <> (failure is null)),
    unique (recalibration_id, conversation_id, unit, criterion, repeat)
) strict;

-- What came of it, as it was told. One that has none is gone on with.
create table recalibration_report (
    recalibration_id blob primary key not null references recalibration (id),
    body text not null,
    told_at integer not null
) strict, without rowid;

create trigger recalibration_never_changes before update on recalibration begin select raise(abort, 'recalibrations are append-only'); end;
create trigger recalibration_never_goes before delete on recalibration begin select raise(abort, 'recalibrations are append-only'); end;
create trigger recalibration_answer_never_changes before update on recalibration_answer begin select raise(abort, 'answers of a recalibration are append-only'); end;
create trigger recalibration_answer_never_goes before delete on recalibration_answer begin select raise(abort, 'answers of a recalibration are append-only'); end;
create trigger recalibration_report_never_changes before update on recalibration_report begin select raise(abort, 'reports of recalibrations are append-only'); end;
create trigger recalibration_report_never_goes before delete on recalibration_report begin select raise(abort, 'reports of recalibrations are append-only'); end;
