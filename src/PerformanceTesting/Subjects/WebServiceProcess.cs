using System.Net;
using LoadTesting.Core.Load.Watches;
using Workflow.Client;

namespace PerformanceTesting.Subjects;

/// <summary>
/// The web service as a child process, on a free port that it keeps across restarts. It ends with this process, whatever way that ends.
/// </summary>
public sealed class WebServiceProcess : IAsyncDisposable
{
    private const int PortAttempts = 3;
    private readonly WebServiceOptions _options;
    private ServiceProcess _service;

    private WebServiceProcess(WebServiceOptions options, ServiceProcess service, Uri baseAddress)
    {
        _options = options;
        _service = service;
        BaseAddress = baseAddress;
        Client = new WorkflowClient(baseAddress, new() { Key = options.Key });
    }

    /// <summary>Where it listens.</summary>
    public Uri BaseAddress { get; }

    public WorkflowClient Client { get; }

    /// <summary>The process that runs now, or ran last.</summary>
    public int ProcessId => _service.Id;

    /// <summary>The last lines that it wrote.</summary>
    public string OutputTail => _service.Output;

    /// <summary>Starts the service and waits until it listens.</summary>
    /// <exception cref="WebServiceException">It does not; the message holds the end of its output.</exception>
    public static async Task<WebServiceProcess> StartAsync(WebServiceOptions options, CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                var (service, address) = await LaunchAsync(options, options.FreePort(), cancellationToken);
                return new WebServiceProcess(options, service, address);
            }
            catch (WebServiceException exception) when (
                attempt < PortAttempts && exception.Message.Contains("address already in use", StringComparison.OrdinalIgnoreCase))
            {
                // Another process was quicker; the next attempt chooses another port.
            }
        }
    }

    /// <summary>Starts a service that is expected to refuse, and waits for its end.</summary>
    /// <returns>Its exit code and what it wrote.</returns>
    public static async Task<(int ExitCode, string Output)> RunToExitAsync(WebServiceOptions options, CancellationToken cancellationToken)
    {
        using var service = ServiceProcess.Start(options, options.FreePort());
        try
        {
            await service.ExitedAsync(options.Deadline, cancellationToken);
            return (service.ExitCode, service.Output);
        }
        finally
        {
            KillIfAlive(service);
        }
    }

    /// <summary>Kills the process without a word (<c>kill -9</c>) and waits until it is gone.</summary>
    public async Task KillAsync(CancellationToken cancellationToken)
    {
        _service.Kill();
        await _service.ExitedAsync(_options.Deadline, cancellationToken);
    }

    /// <summary>Stops the process as it stands, without a word to anybody (SIGSTOP).</summary>
    public Task PauseAsync(CancellationToken cancellationToken) => SignalAsync("STOP", cancellationToken);

    /// <summary>Ends <see cref="PauseAsync"/>.</summary>
    public Task ContinueAsync(CancellationToken cancellationToken) => SignalAsync("CONT", cancellationToken);

    /// <summary>Stops the service in order.</summary>
    /// <returns>Its exit code.</returns>
    /// <exception cref="WebServiceException">It does not end in time.</exception>
    public async Task<int> StopAsync(CancellationToken cancellationToken)
    {
        _service.CloseInput();
        await _service.ExitedAsync(_options.Deadline, cancellationToken);
        return _service.ExitCode;
    }

    /// <summary>Starts the service again after <see cref="KillAsync"/> or <see cref="StopAsync"/>, on the same address and store.</summary>
    /// <exception cref="WebServiceException">It still runs, or does not come up.</exception>
    public async Task RestartAsync(CancellationToken cancellationToken)
    {
        if (!_service.HasExited)
        {
            throw new WebServiceException($"The web service (process {_service.Id}) still runs. Kill or stop it first.");
        }

        var (service, _) = await LaunchAsync(_options, BaseAddress.GetLeftPart(UriPartial.Authority), cancellationToken);
        _service.Dispose();
        _service = service;
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        KillIfAlive(_service);
        await _service.ExitedAsync(_options.Deadline, CancellationToken.None);
        _service.Dispose();
    }

    private static async Task<(ServiceProcess Service, Uri Address)> LaunchAsync(
        WebServiceOptions options, string url, CancellationToken cancellationToken)
    {
        var service = ServiceProcess.Start(options, url);
        try
        {
            return (service, await service.ListeningAsync(options.Deadline, cancellationToken));
        }
        catch
        {
            KillIfAlive(service);
            service.Dispose();
            throw;
        }
    }

    private async Task SignalAsync(string signal, CancellationToken cancellationToken)
    {
        if (await ProcessSignals.SendAsync(_service.Id, signal, cancellationToken) is { } problem)
        {
            throw new WebServiceException($"Process {_service.Id} could not be sent SIG{signal}: {problem}");
        }
    }

    private static void KillIfAlive(ServiceProcess service)
    {
        if (!service.HasExited)
        {
            service.Kill();
        }
    }
}

/// <summary>How a web service is started for a test.</summary>
public sealed record WebServiceOptions
{
    /// <summary>The service's assembly, which the test project refers to. Default: the workflow's.</summary>
    public string Assembly { get; init; } = "Workflow.WebService.dll";

    /// <summary>Where it listens. Default: on this machine alone.</summary>
    public IPAddress Address { get; init; } = IPAddress.Loopback;

    /// <summary>
    /// <c>Access:Keys</c>, which every client has to send; null, the default: none, and then the address must be of this machine alone.
    /// Travels in the environment, where no list of processes shows it.
    /// </summary>
    public string? Key { get; init; }

    /// <summary><c>WorkflowBackend:Provider</c>.</summary>
    public string Provider { get; init; } = "Memory";

    /// <summary><c>ConnectionStrings:Workflow</c>; travels in the environment, where no list of processes shows it.</summary>
    public string? ConnectionString { get; init; }

    /// <summary><c>WorkflowBackend:Schema</c>; the service's default when null.</summary>
    public string? Schema { get; init; }

    /// <summary><c>WorkflowBackend:Lanes</c>; the service's default when null.</summary>
    public int? Lanes { get; init; }

    /// <summary>Any other setting, by its key with colons.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();

    /// <summary>How long the service may take until it listens, or to end when it is stopped.</summary>
    public TimeSpan Deadline { get; init; } = TimeSpan.FromSeconds(60);

    internal string FreePort() => $"http://{new IPEndPoint(Address, LoopbackPort.Free(Address))}";

    internal IEnumerable<KeyValuePair<string, string>> Environment()
    {
        yield return new("WorkflowBackend__Provider", Provider);
        yield return new("Hosting__StopWhenInputEnds", "true");
        foreach (var (key, value) in new (string Key, string? Value)[]
            {
                ("ConnectionStrings__Workflow", ConnectionString),
                ("Access__Keys__0", Key),
                ("WorkflowBackend__Schema", Schema),
                ("WorkflowBackend__Lanes", Lanes?.ToString(System.Globalization.CultureInfo.InvariantCulture)),
            })
        {
            if (value is not null)
            {
                yield return new(key, value);
            }
        }

        foreach (var (key, value) in Settings)
        {
            yield return new(key.Replace(":", "__", StringComparison.Ordinal), value);
        }
    }
}

/// <summary>A web service did not start, or ended when it should not have; the message holds the end of its output.</summary>
public sealed class WebServiceException : Exception
{
    public WebServiceException(string message)
        : base(message)
    {
    }
}

/// <summary>What services say of their processes.</summary>
internal static class ServiceTimes
{
    /// <summary>The processor time and the compilation time that services have used together since their start.</summary>
    /// <exception cref="InvalidOperationException">A page does not have them.</exception>
    public static async Task<(TimeSpan Processor, TimeSpan Compilation)> ReadAsync(IEnumerable<WorkflowClient> services)
    {
        var pages = await Task.WhenAll(services.Select(service => service.GetMetricsAsync()));
        var samples = pages.Select(MetricsPage.Read).ToList();
        return (Sum("process_cpu_seconds_total"), Sum("dotnet_jit_compilation_seconds_total"));

        TimeSpan Sum(string name) => TimeSpan.FromSeconds(samples.Sum(page => page.TryGetValue(name, out var value) ? value
            : throw new InvalidOperationException($"A service has no '{name}' at /metrics, so whether it is warm is not known.")));
    }
}
