using Workflow.Engine.Cluster;

namespace Workflow.Engine.DeadLetters;

/// <summary>Lists dead letters, and replays a dead letter through the lane of its partition.</summary>
internal sealed class DeadLetterRequests(IWorkflowStore store, CommandRouter router)
{
    public async Task<DeadLetterList> ListAsync(DeadLetterQuery query, CancellationToken cancellationToken)
    {
        CommandChecks.Check(query);
        var page = await Pages.ReadAsync(
            new(query.Limit, query.After, query.Before, query.NewestFirst, query.MostExamined),
            most => store.CountDeadLettersAsync(query, most, cancellationToken),
            (after, before, limit) => store.ListDeadLettersAsync(
                query with { After = after, Before = before, Limit = limit }, cancellationToken),
            row => row.Id,
            row => row.Payload.Length);
        return new([.. page.Rows.Select(ToView)], page.Next);
    }

    public Task<ListCount> CountAsync(DeadLetterQuery query, int most, CancellationToken cancellationToken)
    {
        CommandChecks.Check(query);
        CommandChecks.CheckMostExamined(most);
        return store.CountDeadLettersAsync(query, most, cancellationToken);
    }

    public async Task<DeadLetterReplayed> ReplayAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckKey(idempotencyKey);
        var deadLetter = await FindAsync(id, cancellationToken);

        // With a key, only the lane knows whether the key was used for another dead letter.
        if (deadLetter.Applied is null || idempotencyKey is not null)
        {
            if (await ExecuteAsync(deadLetter, idempotencyKey, cancellationToken) is { } replayed)
            {
                return replayed;
            }

            deadLetter = await FindAsync(id, cancellationToken);
        }

        return new(id, deadLetter.Applied ?? throw new InvalidOperationException(
            $"Dead letter {id} is open in the store, but its lane does not know it."), Duplicate: true);
    }

    private Task<DeadLetterReplayed?> ExecuteAsync(
        DeadLetterRow deadLetter, string? idempotencyKey, CancellationToken cancellationToken)
    {
        var hash = RequestHash.Of(idempotencyKey, deadLetter.Id.ToString());
        return router.ExecuteAsync(
            deadLetter.Partition, RemoteKind.Replay, new ReplayLaneCommand(deadLetter, idempotencyKey, hash),
            _ => new() { Letter = deadLetter, IdempotencyKey = idempotencyKey, RequestHash = hash }, cancellationToken);
    }

    private async Task<DeadLetterRow> FindAsync(Guid id, CancellationToken cancellationToken) =>
        await store.FindDeadLetterAsync(id, cancellationToken) ?? throw new DeadLetterNotFoundException(id);

    private static DeadLetter ToView(DeadLetterRow row) => new()
    {
        Id = row.Id,
        Kind = row.Kind,
        InstanceId = row.InstanceId,
        Reason = row.Reason,
        Attempts = row.Attempts,
        Payload = DeadLetterDraft.Read<JsonElement>(row.Payload),
        CreatedUtc = row.CreatedUtc,
        LastAttemptUtc = row.LastAttemptUtc,
        ReplayedUtc = row.ReplayedUtc,
        Applied = row.Applied,
    };
}
