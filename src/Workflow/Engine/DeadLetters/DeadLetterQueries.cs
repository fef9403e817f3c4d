namespace Workflow.Engine.DeadLetters;

/// <summary>Lists dead letters, and replays one through the lane of its partition.</summary>
internal sealed class DeadLetterQueries(
    IWorkflowStore store, Func<DeadLetterRow, string?, CancellationToken, Task<DeadLetterReplayed?>> replay)
{
    public async Task<DeadLetterList> ListAsync(DeadLetterQuery query, CancellationToken cancellationToken)
    {
        if (query.Limit is < 1 or > 1_000)
        {
            throw new InvalidCommandException("limit", $"'limit' is {query.Limit}; it must be 1 to 1000.");
        }

        var (rows, isLast) = await Pages.ReadAsync(
            query.Limit,
            query.After,
            (after, limit) => store.ListDeadLettersAsync(query with { After = after, Limit = limit }, cancellationToken),
            row => row.Id,
            row => row.Payload.Length);
        return new([.. rows.Select(ToView)], isLast ? null : rows[^1].Id);
    }

    public async Task<DeadLetterReplayed> ReplayAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken)
    {
        CommandChecks.CheckKey(idempotencyKey);
        var deadLetter = await FindAsync(id, cancellationToken);

        // With a key its lane says whether that was given for another one.
        if (deadLetter.Applied is null || idempotencyKey is not null)
        {
            if (await replay(deadLetter, idempotencyKey, cancellationToken) is { } replayed)
            {
                return replayed;
            }

            deadLetter = await FindAsync(id, cancellationToken);
        }

        return new(id, deadLetter.Applied ?? throw new InvalidOperationException(
            $"Dead letter {id} is open in the store, but its lane does not know it."), Duplicate: true);
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
        Payload = DeadLetterDraft.Read<System.Text.Json.JsonElement>(row.Payload),
        CreatedUtc = row.CreatedUtc,
        LastAttemptUtc = row.LastAttemptUtc,
        ReplayedUtc = row.ReplayedUtc,
        Applied = row.Applied,
    };
}
