-- Whether anybody has handed in is asked with each assignment. Where all were graded without, the rows of all students were looked
-- through.
CREATE INDEX submissions_handed_in ON submissions (assignment_id) WHERE attempt IS NOT NULL;
