/** Drafts can be changed by GraphQL only, and it alone gives the newest comments without those before them. Valid by the schema of November 2026. */
export const TO_DRAFT = 'mutation($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';
export const TO_READY = 'mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';
export const NEWEST_COMMENTS = 'query($id: ID!, $last: Int!) { node(id: $id) { ... on PullRequest { comments(last: $last) { nodes { body } } } } }';
