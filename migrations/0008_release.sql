-- What is released: the policies that were asked, the thresholds that were moved, and which judge stands in which slot. Append-only.

-- SHA-256 of the whole decision; null where it was decided before this was kept.
alter table decision add column hash text;

create table policy_version (
    id blob primary key not null,
    project_id blob not null references project (id),
    version integer not null check (version > 0),
    -- the TOML as it was written
    body text not null,
    hash text not null,
    saved_by blob references user (id),
    saved_at integer not null,
    unique (project_id, version)
) strict;
create trigger policy_version_is_append_only_on_update before update on policy_version begin select raise(abort, 'policies are append-only'); end;
create trigger policy_version_is_append_only_on_delete before delete on policy_version begin select raise(abort, 'policies are append-only'); end;

-- A pass threshold that was accepted for one instrument on one criterion; the last one counts.
create table threshold (
    id blob primary key not null,
    project_id blob not null references project (id),
    criterion text not null,
    fingerprint_id integer not null references fingerprint (id),
    -- passes from here on: before, and since
    before real not null,
    threshold real not null,
    -- what was proposed, with the whole sweep, as JSON
    proposal text not null,
    reason text not null check (trim(reason) <> ''),
    accepted_by blob references user (id),
    accepted_at integer not null
) strict;
create index threshold_by_project on threshold (project_id, accepted_at);
create trigger threshold_is_append_only_on_update before update on threshold begin select raise(abort, 'thresholds are append-only'); end;
create trigger threshold_is_append_only_on_delete before delete on threshold begin select raise(abort, 'thresholds are append-only'); end;

-- A slot is a criterion and a purpose. What stands in it is what its last change says.
create table slot_change (
    id blob primary key not null,
    project_id blob not null references project (id),
    criterion text not null,
    purpose text not null check (purpose in ('inline', 'routine', 'release')),
    act text not null check (act in ('promote', 'roll_back')),
    -- what stands since: both null where the slot was emptied
    decision_id blob references decision (id),
    fingerprint_id integer references fingerprint (id),
    -- the judge passes from here on; null where the scale has no pass level
    threshold real,
    reason text not null check (trim(reason) <> ''),
    -- why a model that is asked for by a floating name may stand all the same
    floating_reason text check (trim(floating_reason) <> ''),
    changed_by blob references user (id),
    changed_at integer not null,
    -- the change that this one follows
    supersedes blob references slot_change (id),
    check ((decision_id is null) = (fingerprint_id is null)),
    check (act = 'roll_back' or decision_id is not null)
) strict;
create unique index slot_change_is_followed_once on slot_change (supersedes) where supersedes is not null;
create unique index slot_change_begins_once on slot_change (project_id, criterion, purpose) where supersedes is null;
create trigger slot_change_is_append_only_on_update before update on slot_change begin select raise(abort, 'promotions are append-only'); end;
create trigger slot_change_is_append_only_on_delete before delete on slot_change begin select raise(abort, 'promotions are append-only'); end;
