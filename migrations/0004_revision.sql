-- A number of each project that grows with every write that a report could see, and which question was answered at which number. The
-- triggers keep it: no writer can forget. What is sealed to whom hangs on assignments, so they count as well.

alter table project add column revision integer not null default 0;

-- The report that answered a question last: the hash of the project, the viewer and what was asked. May be emptied at any time.
create table answered (
    question text primary key not null,
    project_id blob not null references project (id),
    revision integer not null,
    report_key text not null
) strict, without rowid;

create trigger revision_after_conversation after insert on conversation begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_conversation_changed after update on conversation begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_conversation_gone after delete on conversation begin
    update project set revision = revision + 1 where id = old.project_id;
end;
create trigger revision_after_rubric after insert on rubric_version begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_annotator after insert on annotator begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_annotator_changed after update on annotator begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_annotator_gone after delete on annotator begin
    update project set revision = revision + 1 where id = old.project_id;
end;
create trigger revision_after_assignment after insert on assignment begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_assignment_changed after update on assignment begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_assignment_gone after delete on assignment begin
    update project set revision = revision + 1 where id = old.project_id;
end;
-- What a person writes at an open desk no report sees; submitting it changes the assignment.
create trigger revision_after_label after insert on label
when not exists (
    select 1 from annotator a join assignment desk on desk.user_id = a.user_id
    where a.id = new.annotator_id and desk.conversation_id = new.conversation_id and desk.state = 'open'
)
begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_references after insert on reference_set begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_anchor_set after insert on anchor_set begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_judge after insert on judge begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_judge_changed after update on judge begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_judge_gone after delete on judge begin
    update project set revision = revision + 1 where id = old.project_id;
end;
create trigger revision_after_judge_version after insert on judge_version begin
    update project set revision = revision + 1 where id = (select project_id from judge where id = new.judge_id);
end;
create trigger revision_after_fingerprint after insert on fingerprint begin
    update project set revision = revision + 1
    where id = (
        select j.project_id from judge_version v join judge j on j.id = v.judge_id where v.id = new.judge_version_id
    );
end;
create trigger revision_after_verdict after insert on verdict begin
    update project set revision = revision + 1
    where id = (select project_id from conversation where id = new.conversation_id);
end;
create trigger revision_after_renaming after update of name on project begin
    update project set revision = revision + 1 where id = new.id;
end;
