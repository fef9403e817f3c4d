namespace IntegrationTests.WebService;

/// <summary>A service of the test's own, on one lane that all share.</summary>
public abstract class OneLaneServiceTests(BackendFixture backends) : IAsyncDisposable
{
    private WebServiceProcess? _own;
    private WebServiceProcess? _shared;

    protected HttpClient Http { get; } = new() { Timeout = Eventually.Deadline };
    protected WebServiceProcess Service =>
        _own ?? _shared ?? throw new InvalidOperationException("The test has not started its service.");

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await (_own?.DisposeAsync() ?? ValueTask.CompletedTask);
        GC.SuppressFinalize(this);
    }

    /// <param name="database">Readable part of the name of a database on PostgreSQL; null keeps all in memory.</param>
    /// <returns>How to connect to the database; null where there is none.</returns>
    protected async Task<string?> StartOnAsync(string? database, IReadOnlyDictionary<string, string> settings)
    {
        await (_own?.DisposeAsync() ?? ValueTask.CompletedTask);
        (_own, var connection) = await StartAsync(backends, database, settings);
        return connection;
    }

    /// <summary>Uses a service that the other tests of the class use too.</summary>
    protected async Task ShareAsync(OneLaneServices services, string? database) =>
        _shared = await services.OnAsync(database);

    protected Task<HttpResponseMessage> PostAsync(string path, string json) =>
        Http.PostAsync(new Uri(Service.BaseAddress, path).ToString(), json, Cancel);

    internal static async Task<(WebServiceProcess Service, string? Connection)> StartAsync(
        BackendFixture backends, string? database, IReadOnlyDictionary<string, string> settings)
    {
        string? connection = null;
        if (database is not null)
        {
            await backends.Catalog.RequireOrSkipAsync("postgres", Cancel);
            connection = await (await backends.Catalog.PostgresAsync(Cancel)).CreateDatabaseAsync(database, Cancel);
        }

        var options = new WebServiceOptions
        {
            Provider = database is null ? "Memory" : "Postgres", ConnectionString = connection,
            Lanes = 1, Settings = settings,
        };
        return (await WebServiceProcess.StartAsync(options, Cancel), connection);
    }
}
