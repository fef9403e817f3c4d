namespace PerformanceTesting.Backends.MongoDb;

/// <summary>
/// Measures what lies below any system on this server: inserts of one document that a majority has in its journal, and
/// the round trip. Short: enough to set a result in proportion, not to compare servers.
/// </summary>
/// <param name="span">How long each is measured; 600 ms when omitted.</param>
internal sealed class MongoCeilings(MongoServer server, TimeSpan? span = null)
{
    private const int ConcurrentClients = 16;

    private const string Insert = """
        { "insert": "one_document", "documents": [ { "client": 1, "number": 1 } ],
          "writeConcern": { "w": "majority", "j": true, "wtimeout": 10000 } }
        """;

    private readonly TimeSpan _span = span ?? TimeSpan.FromMilliseconds(600);

    /// <summary>Measures in a new database, and drops it.</summary>
    /// <exception cref="BackendException">The server went away, or does not acknowledge.</exception>
    public async Task<CeilingsResult> MeasureAsync(CancellationToken cancellationToken)
    {
        var connectionString = server.NewDatabase();
        var database = MongoAddress.Parse(connectionString, ServerKind.Mongo.Variable).Database!;
        try
        {
            await InsertAsync(); // Makes the collection.
            return new CeilingsResult
            {
                CommitsPerSecond = await CeilingLoop.PerSecondAsync([InsertAsync], _span, cancellationToken),
                ConcurrentCommitsPerSecond = await CeilingLoop.PerSecondAsync(
                    [.. Enumerable.Repeat(InsertAsync, ConcurrentClients)], _span, cancellationToken),
                ConcurrentClients = ConcurrentClients,
                RoundTripMs = await CeilingLoop.MedianMsAsync(
                    () => server.RunAsync("admin", """{ "ping": 1 }""", cancellationToken), _span / 2),
                Notes =
                [
                    "fsyncPerSecond is null: the file system of the server is not in reach.",
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"Commits: inserts of one document with w: majority, j: true, outside any transaction, {_span.TotalMilliseconds:0} "
                            + $"ms each after a tenth of that to warm up; the client makes each from its text, and shares the machine's "
                            + $"processors. Round trip: ping."),
                ],
            };
        }
        finally
        {
            await server.DropDatabaseAsync(connectionString, CancellationToken.None);
        }

        async Task InsertAsync()
        {
            var reply = await server.RunAsync(database, Insert, cancellationToken);
            if ((reply.Find("writeConcernError") ?? reply.Find("writeErrors")) is { } error)
            {
                throw new BackendException($"{server.Description} does not acknowledge an insert with "
                    + $"w: majority, j: true: {error}");
            }
        }
    }
}
