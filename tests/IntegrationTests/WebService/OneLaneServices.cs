namespace IntegrationTests.WebService;

/// <summary>Services that the tests of a class share, one on each store, with default settings.</summary>
public sealed class OneLaneServices(BackendFixture backends) : IAsyncDisposable
{
    private readonly Dictionary<string, WebServiceProcess> _started = [];

    internal async Task<WebServiceProcess> OnAsync(string? database)
    {
        if (!_started.TryGetValue(database ?? "", out var service))
        {
            (service, _) = await OneLaneServiceTests.StartAsync(backends, database, new Dictionary<string, string>());
            _started.Add(database ?? "", service);
        }

        return service;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var service in _started.Values)
        {
            await service.DisposeAsync();
        }
    }
}
