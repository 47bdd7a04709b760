-- Events with the requests that caused them. What is inserted here is an event, and its request beside the first of its events: one
-- statement writes both. A column that is added to either table needs the view and its trigger made anew.
CREATE VIEW course_events_with_requests AS
SELECT e.id, e.root_account_id, e.account_id, e.course_id, e.user_id, e.event_type, e.event_source, e.event_data,
       e.partner_course_id, e.sis_batch_id, e.request_id, e.created_at, e.real_user_id, v.http_method, v.path, v.remote_ip,
       v.user_agent, v.credential, v.developer_key_id, v.created_at AS request_created_at
FROM course_events e LEFT JOIN page_views v ON v.id = e.request_id;

CREATE TRIGGER requests_are_written_beside_events INSTEAD OF INSERT ON course_events_with_requests BEGIN
    INSERT INTO page_views
        (id, root_account_id, user_id, real_user_id, http_method, path, remote_ip, user_agent, credential, developer_key_id,
         created_at)
    SELECT new.request_id, new.root_account_id, new.user_id, new.real_user_id, new.http_method, new.path, new.remote_ip,
           new.user_agent, new.credential, new.developer_key_id, new.request_created_at
    WHERE new.request_id IS NOT NULL
    ON CONFLICT (id) DO NOTHING;
    INSERT INTO course_events
        (id, root_account_id, account_id, course_id, user_id, event_type, event_source, event_data, partner_course_id,
         sis_batch_id, request_id, created_at, real_user_id)
    VALUES
        (new.id, new.root_account_id, new.account_id, new.course_id, new.user_id, new.event_type, new.event_source,
         new.event_data, new.partner_course_id, new.sis_batch_id, new.request_id, new.created_at, new.real_user_id);
END;
