using Workflow.Client;

namespace PerformanceTesting.Subjects;

/// <summary>
/// The web service as a child process, on a free port that it keeps across restarts. It ends with this process,
/// whatever way that ends.
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
    public static async Task<WebServiceProcess> StartAsync(
        WebServiceOptions options, CancellationToken cancellationToken)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                var (service, address) = await LaunchAsync(options, options.FreePort(), cancellationToken);
                return new WebServiceProcess(options, service, address);
            }
            catch (WebServiceException exception) when (
                attempt < PortAttempts
                    && exception.Message.Contains("address already in use", StringComparison.OrdinalIgnoreCase))
            {
                // Another process was quicker; the next attempt chooses another port.
            }
        }
    }

    /// <summary>Starts a service that is expected to refuse, and waits for its end.</summary>
    /// <returns>Its exit code and what it wrote.</returns>
    public static async Task<(int ExitCode, string Output)> RunToExitAsync(
        WebServiceOptions options, CancellationToken cancellationToken)
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

    /// <summary>
    /// Starts the service again after <see cref="KillAsync"/> or <see cref="StopAsync"/>, on the same address and
    /// store.
    /// </summary>
    /// <exception cref="WebServiceException">It still runs, or does not come up.</exception>
    public async Task RestartAsync(CancellationToken cancellationToken)
    {
        if (!_service.HasExited)
        {
            throw new WebServiceException($"The web service (process {_service.Id}) still "
                + "runs. Kill or stop it first.");
        }

        var (service, _) =
            await LaunchAsync(_options, BaseAddress.GetLeftPart(UriPartial.Authority), cancellationToken);
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
