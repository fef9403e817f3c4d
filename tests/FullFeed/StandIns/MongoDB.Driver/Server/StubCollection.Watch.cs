using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

/// <content>Change streams.</content>
public sealed partial class StubCollection
{
    public Task<IChangeStreamCursor<TResult>> WatchAsync<TResult>(
        PipelineDefinition<ChangeStreamDocument<BsonDocument>, TResult> pipeline, ChangeStreamOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new();
        return Server.RunAsync(
            client.Settings,
            Call("aggregate", null) with { Detail = string.Join(" ", pipeline.Stages.Prepend(new("$changeStream", new BsonDocument()))), MaxTime = options.MaxAwaitTime },
            () => Task.FromResult((IChangeStreamCursor<TResult>)(object)Watch()),
            cancellationToken);

        StubChangeCursor Watch()
        {
            if (!Server.IsReplicaSet)
            {
                throw StubErrors.Command(40573, "Location40573", "The $changeStream stage is only supported on replica sets");
            }

            var from = options.ResumeAfter is { } place ? StubServer.PlaceFrom(place) : Server.ChangesEnd;
            Server.ReadChanges(_space, from);
            return new(Server, Call("getMore", null) with { MaxTime = options.MaxAwaitTime }, _space, pipeline.Stages, from);
        }
    }
}

/// <summary>A stream of changes: each look waits as long as it was asked to, at most.</summary>
public sealed class StubChangeCursor(StubServer server, StubCall call, string space, IReadOnlyList<BsonDocument> stages, int from) : IChangeStreamCursor<BsonDocument>
{
    private int _from = from;

    public IEnumerable<BsonDocument> Current { get; private set; } = [];

    public BsonDocument GetResumeToken() => StubServer.PlaceOf(_from);

    public Task<bool> MoveNextAsync(CancellationToken cancellationToken = default) => server.RunAsync(
        call,
        async () =>
        {
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            limit.CancelAfter(call.MaxTime ?? TimeSpan.FromSeconds(1));
            while (true)
            {
                var (changes, end, next) = server.ReadChanges(space, _from);
                Current = [.. changes.Select(Through).OfType<BsonDocument>()];
                _from = end;
                if (Current.Any() || limit.IsCancellationRequested)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    return true;
                }

                await next.WaitAsync(limit.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        },
        cancellationToken);

    public void Dispose() => Current = [];

    private BsonDocument? Through(BsonDocument change)
    {
        var now = new BsonDateTime(server.Time.GetUtcNow().UtcDateTime);
        BsonDocument? left = change;
        foreach (var (name, stage) in stages.Select(s => s.GetElement(0)))
        {
            left = left is null ? null : name switch
            {
                "$match" => StubFilter.Matches(left, stage.AsBsonDocument, now) ? left : null,
                "$project" => StubProjection.Apply(left, stage.AsBsonDocument, now),
                _ => throw StubErrors.Command(40324, "Location40324", $"Unrecognized pipeline stage name: '{name}'"),
            };
        }

        return left;
    }
}
