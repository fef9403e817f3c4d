namespace IntegrationTests.WebService;

/// <summary>A service of the test's own, on one lane that all share.</summary>
public abstract class OneLaneServiceTests(BackendFixture backends) : IAsyncLifetime
{
    private WebServiceProcess? _service;

    protected HttpClient Http { get; } = new();
    protected WebServiceProcess Service => _service ?? throw new InvalidOperationException("The test has not started its service.");

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        if (_service is not null)
        {
            await _service.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    /// <param name="database">Readable part of the name of a database on PostgreSQL; null keeps all in memory.</param>
    /// <returns>How to connect to the database; null where there is none.</returns>
    protected async Task<string?> StartOnAsync(string? database, IReadOnlyDictionary<string, string>? settings)
    {
        string? connection = null;
        if (database is not null)
        {
            await backends.Catalog.RequireOrSkipAsync("postgres", Cancel);
            connection = await (await backends.Catalog.PostgresAsync(Cancel)).CreateDatabaseAsync(database, Cancel);
        }

        _service = await WebServiceProcess.StartAsync(
            new WebServiceOptions
            {
                Provider = database is null ? "Memory" : "Postgres", ConnectionString = connection, Lanes = 1,
                Settings = settings ?? new Dictionary<string, string>(),
            },
            Cancel);
        return connection;
    }

    protected Task<HttpResponseMessage> PostAsync(string path, string json) =>
        Http.PostAsync(new Uri(Service.BaseAddress, path).ToString(), json, Cancel);
}
