using System.Security.Cryptography;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Bulk;

namespace Workflow.WebService.Endpoints;

/// <summary>
/// Acts on many instances or dead letters: each item is a command by itself, with a key made from the key of the
/// request and the item's id. A repeated request therefore has one effect on each.
/// </summary>
internal sealed class BulkActions(IWorkflowEngine engine)
{
    /// <summary>The most ids of a request.</summary>
    public const int MostIds = 1_000;

    /// <summary>Commands of one request in progress. They share the flushes of their lanes.</summary>
    private const int AtOnce = 16;

    public Task<BulkReport> RetryAsync(IReadOnlyList<Guid> ids, string? idempotencyKey) => RunAsync(
        ids, idempotencyKey,
        async (id, key) =>
            (await engine.RetryAsync(new() { InstanceId = id, IdempotencyKey = key }, CancellationToken.None))
            .Duplicate);

    public Task<BulkReport> CancelAsync(IReadOnlyList<Guid> ids, string? idempotencyKey) => RunAsync(
        ids, idempotencyKey,
        async (id, key) => (await engine.CancelAsync(id, key, CancellationToken.None)).Duplicate);

    public Task<BulkReport> ReplayAsync(IReadOnlyList<Guid> ids, string? idempotencyKey) => RunAsync(
        ids, idempotencyKey,
        async (id, key) => (await engine.ReplayDeadLetterAsync(id, key, CancellationToken.None)).Duplicate);

    // Not tied to the connection: commands that were taken cannot be taken back.
    private static async Task<BulkReport> RunAsync(
        IReadOnlyList<Guid> ids, string? idempotencyKey, Func<Guid, string?, Task<bool>> act)
    {
        Guid[] distinct = [.. ids.Distinct()];
        var items = new BulkItem[distinct.Length];
        await Parallel.ForAsync(
            0, distinct.Length, new ParallelOptions { MaxDegreeOfParallelism = AtOnce },
            async (index, _) => items[index] = await ActAsync(distinct[index], idempotencyKey, act));
        return new BulkReport(items);
    }

    private static async Task<BulkItem> ActAsync(
        Guid id, string? idempotencyKey, Func<Guid, string?, Task<bool>> act)
    {
        try
        {
            var isDuplicate = await act(id, KeyOf(idempotencyKey, id));
            return new(id, isDuplicate ? BulkOutcome.Unchanged : BulkOutcome.Done);
        }
        catch (StoreUnavailableException e)
        {
            // The message of a driver names hosts and users.
            var outcome = e.OutcomeUnknown ? BulkOutcome.Unknown : BulkOutcome.Refused;
            return new(id, outcome, e.Code, "The store is not available.");
        }
        catch (WorkflowException e)
        {
            return new(id, BulkOutcome.Refused, e.Code, e.Message);
        }
    }

    /// <summary>As long as every key may be, whatever the length of the request's.</summary>
    private static string? KeyOf(string? idempotencyKey, Guid id) => idempotencyKey is null
        ? null
        : "bulk:" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes($"{id} {idempotencyKey}")));
}
