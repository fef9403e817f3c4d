using System.Runtime.ExceptionServices;

namespace PerformanceTesting.Backends;

/// <summary>The one server of a kind. It starts when it is first needed, as <c>WORKFLOW_PERF_PROVISION</c> says. Thread-safe.</summary>
internal sealed class ServerSlot(ServerProvider provider, BackendVariables variables, ContainerProvisioner containers) : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private (BackendServer? Server, IReadOnlyList<ProvisionAttempt> Attempts)? _outcome;
    private ExceptionDispatchInfo? _failure;

    public ServerProvider Provider => provider;

    /// <summary>The server, or null when every mode was refused, and what was tried.</summary>
    /// <exception cref="BackendException">What was chosen explicitly, by mode or by connection string, fails.</exception>
    public async Task<(BackendServer? Server, IReadOnlyList<ProvisionAttempt> Attempts)> GetAsync(CancellationToken cancellationToken)
    {
        // A failure is kept like a success, so that a hundred tests do not each wait for the same time-out; a cancelled wait is not.
        await _gate.WaitAsync(cancellationToken);
        try
        {
            _failure?.Throw();
            return _outcome ??= await ProvisionAsync(cancellationToken);
        }
        catch (Exception exception) when (exception is not OperationCanceledException && _failure is null)
        {
            _failure = ExceptionDispatchInfo.Capture(exception);
            throw;
        }
        finally
        {
            _gate.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_outcome?.Server is { } server)
        {
            await server.DisposeAsync();
        }

        _gate.Dispose();
    }

    private async Task<(
        BackendServer? Server, IReadOnlyList<ProvisionAttempt> Attempts)> ProvisionAsync(CancellationToken cancellationToken)
    {
        ProvisionMode[] modes = variables.Provision == ProvisionMode.Auto
            ? [ProvisionMode.External, ProvisionMode.Container, ProvisionMode.Native]
            : [variables.Provision];
        var attempts = new List<ProvisionAttempt>();
        foreach (var mode in modes)
        {
            var outcome = await TryAsync(mode, cancellationToken);
            attempts.Add(new ProvisionAttempt(mode, outcome.Server is not null, outcome.Server?.Description ?? outcome.Refusal!));
            if (outcome.Server is { } server)
            {
                return (server, attempts);
            }
        }

        return variables.Provision == ProvisionMode.Auto || !provider.Supports(variables.Provision)
            ? (null, attempts)
            : throw new BackendException(
                $"{BackendVariables.ProvisionName} asks for {attempts[0]}. To enable it: {provider.HowToEnable}; or unset "
                    + $"{BackendVariables.ProvisionName}.");
    }

    private async Task<ProvisionOutcome> TryAsync(ProvisionMode mode, CancellationToken cancellationToken) => mode switch
    {
        ProvisionMode.Container => await containers.StartAsync(provider, cancellationToken),
        ProvisionMode.Native => await provider.StartNativeAsync(cancellationToken),

        // A connection string is an explicit choice: when it is wrong, measuring another server instead would mislead.
        _ => variables.ConnectionStrings.GetValueOrDefault(provider.Kind) is { } connectionString
            ? ProvisionOutcome.Of(await provider.ConnectAsync(connectionString, cancellationToken))
            : ProvisionOutcome.Refused($"{provider.Kind.Variable} is not set"),
    };
}
