namespace IntegrationTests.Mongo.Server;

/// <summary>Open cursors and change streams. Thread-safe.</summary>
internal sealed class Cursors(Documents documents)
{
    private const int BatchSize = 101;
    private const int BatchBytes = 16 << 20;
    private static readonly TimeSpan DefaultWait = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<long, Queue<BsonDocument>> _finds = new();
    private readonly ConcurrentDictionary<long, ChangeStream> _streams = new();
    private long _last;

    public BsonDocument Find(MongoCall call, Transaction? transaction, BsonDateTime now)
    {
        var command = call.Command;
        var found = Filters.Matching(documents.Seen(call.Space, transaction), Part(command, "filter") ?? [], now);
        found = Part(command, "sort") is { } sort ? Filters.Sort(found, sort) : found;
        found = command.GetValue("limit", 0).ToInt32() is > 0 and var limit ? found.Take(limit) : found;
        var left = new Queue<BsonDocument>(found.Select(d => Projections.Apply(d, Part(command, "projection"), now)));
        return Reply(call, "firstBatch", Add(_finds, left), Batch(left), left.Count > 0);
    }

    /// <summary>Opens a change stream; other aggregations are not known here.</summary>
    public BsonDocument Watch(MongoCall call)
    {
        var stages = call.Command["pipeline"].AsBsonArray.Select(s => s.AsBsonDocument).ToList();
        if (stages[0].GetElement(0).Name != "$changeStream")
        {
            throw new NotSupportedException($"This server aggregates nothing but changes: {stages[0]}");
        }

        var options = stages[0][0].AsBsonDocument;
        var from = Part(options, "resumeAfter") is { } place ? ChangeLog.PlaceOf(place) : documents.Changes.End;
        documents.Changes.Read(call.Space, from);
        var id = Add(_streams, new([.. stages.Skip(1)], from));
        return Reply(call, "firstBatch", id, [], isOpen: true, from);
    }

    public async Task<BsonDocument> MoreAsync(
        MongoCall call, Func<BsonDateTime> now, CancellationToken cancellationToken)
    {
        var id = call.Command[0].ToInt64();
        if (_finds.TryGetValue(id, out var left))
        {
            return Reply(call, "nextBatch", id, Batch(left), left.Count > 0);
        }

        if (!_streams.TryGetValue(id, out var stream))
        {
            throw new MongoReplyException(43, "CursorNotFound", $"cursor id {id} not found");
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(call.MaxTime ?? DefaultWait);
        while (true)
        {
            var (changes, end, next) = documents.Changes.Read(call.Space, stream.From);
            stream.From = end;
            BsonDocument[] passed = [.. changes.Select(c => stream.Through(c, now())).OfType<BsonDocument>()];
            if (passed.Length > 0 || limit.IsCancellationRequested)
            {
                return Reply(call, "nextBatch", id, new(passed), isOpen: true, end);
            }

            await next.WaitAsync(limit.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    public void Kill(MongoCall call)
    {
        foreach (var id in call.Command["cursors"].AsBsonArray.Select(c => c.ToInt64()))
        {
            _finds.TryRemove(id, out _);
            _streams.TryRemove(id, out _);
        }
    }

    private static BsonDocument? Part(BsonDocument command, string name) =>
        command.TryGetValue(name, out var value) ? value.AsBsonDocument : null;

    private static BsonArray Batch(Queue<BsonDocument> left)
    {
        var (batch, bytes) = (new BsonArray(), 0);
        while (batch.Count < BatchSize && bytes < BatchBytes && left.TryDequeue(out var document))
        {
            batch.Add(document);
            bytes += document.ToBson().Length;
        }

        return batch;
    }

    private long Add<T>(ConcurrentDictionary<long, T> cursors, T cursor)
    {
        var id = Interlocked.Increment(ref _last);
        cursors[id] = cursor;
        return id;
    }

    private BsonDocument Reply(
        MongoCall call, string batch, long id, BsonArray documents, bool isOpen, int? place = null)
    {
        if (!isOpen)
        {
            _finds.TryRemove(id, out _);
        }

        var cursor = new BsonDocument { { "id", isOpen ? id : 0L }, { "ns", call.Space }, { batch, documents } };
        return new()
        {
            { "ok", 1.0 },
            { "cursor", place is { } end ? cursor.Add("postBatchResumeToken", ChangeLog.TokenOf(end)) : cursor },
        };
    }

    private sealed class ChangeStream(IReadOnlyList<BsonDocument> stages, int from)
    {
        public int From { get; set; } = from;

        /// <summary>The result of the stages for a change; null where they drop it.</summary>
        public BsonDocument? Through(BsonDocument change, BsonDateTime now)
        {
            BsonDocument? left = change;
            foreach (var stage in stages.Select(s => s.GetElement(0)))
            {
                left = left is null ? null : Through(left, stage.Name, stage.Value.AsBsonDocument, now);
            }

            return left;
        }

        private static BsonDocument? Through(BsonDocument change, string name, BsonDocument stage, BsonDateTime now) =>
            name switch
            {
                "$match" => Filters.Matches(change, stage, now) ? change : null,
                "$project" => Projections.Apply(change, stage, now),
                _ => throw MongoReplyException.UnknownStage(name),
            };
    }
}
