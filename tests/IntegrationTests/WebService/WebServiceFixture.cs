namespace IntegrationTests.WebService;

/// <summary>One web service on the memory store for the tests that only ask it.</summary>
public sealed class WebServiceFixture : IAsyncLifetime
{
    private WebServiceProcess? _service;
    private HttpClient? _http;

    public WebServiceProcess Service =>
        _service ?? throw new InvalidOperationException("The fixture is not initialised.");
    public WorkflowClient Client => Service.Client;

    /// <summary>For requests that the typed client would not send.</summary>
    public HttpClient Http => _http ?? throw new InvalidOperationException("The fixture is not initialised.");

    public async ValueTask InitializeAsync()
    {
        var options =
            new WebServiceOptions { Settings = new Dictionary<string, string> { ["SignalReceivers:0"] = "burst" } };
        _service = await WebServiceProcess.StartAsync(options, Cancel);
        _http = new HttpClient { BaseAddress = _service.BaseAddress };
    }

    public async ValueTask DisposeAsync()
    {
        _http?.Dispose();
        if (_service is not null)
        {
            await _service.DisposeAsync();
        }
    }
}
