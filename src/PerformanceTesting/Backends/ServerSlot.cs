using System.Runtime.ExceptionServices;

namespace PerformanceTesting.Backends;

/// <summary>
/// The one server of a kind. It starts when it is first needed, as <c>WORKFLOW_PERF_PROVISION</c> says. Thread-safe.
/// </summary>
internal sealed class ServerSlot(
    ServerProvider provider, BackendVariables variables, ContainerProvisioner containers) : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private IReadOnlyList<ProvisionOutcome>? _attempts;
    private ExceptionDispatchInfo? _failure;

    public ServerProvider Provider => provider;

    /// <summary>What was tried, in order. The last attempt has the server, unless every mode was refused.</summary>
    /// <exception cref="BackendException">An explicit choice, by mode or by connection string, fails.</exception>
    public async Task<IReadOnlyList<ProvisionOutcome>> GetAsync(CancellationToken cancellationToken)
    {
        // A failure is kept like a success, so that a hundred tests do not each wait for the same time-out. A cancelled
        // wait is not kept.
        await _gate.WaitAsync(cancellationToken);
        try
        {
            _failure?.Throw();
            return _attempts ??= await ProvisionAsync(cancellationToken);
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
        if (_attempts?[^1].Server is { } server)
        {
            await server.DisposeAsync();
        }

        _gate.Dispose();
    }

    private async Task<IReadOnlyList<ProvisionOutcome>> ProvisionAsync(CancellationToken cancellationToken)
    {
        ProvisionMode[] modes = variables.Provision == ProvisionMode.Auto
            ? [ProvisionMode.External, ProvisionMode.Container, ProvisionMode.Native]
            : [variables.Provision];
        var attempts = new List<ProvisionOutcome>();
        foreach (var mode in modes)
        {
            var outcome = await TryAsync(mode, cancellationToken);
            attempts.Add(outcome with { Mode = mode });
            if (outcome.Server is not null)
            {
                return attempts;
            }
        }

        return variables.Provision == ProvisionMode.Auto || !provider.Supports(variables.Provision)
            ? attempts
            : throw new BackendException(
                $"{BackendVariables.ProvisionName} asks for {attempts[0]}. To enable it: {provider.HowToEnable}; "
                    + $"or unset {BackendVariables.ProvisionName}.");
    }

    private async Task<ProvisionOutcome> TryAsync(ProvisionMode mode, CancellationToken cancellationToken) =>
        mode switch
        {
            ProvisionMode.Container => await containers.StartAsync(provider, cancellationToken),
            ProvisionMode.Native => await provider.StartNativeAsync(cancellationToken),

            // A connection string is an explicit choice: if it is wrong, measuring another server would mislead.
            _ => variables.ConnectionStrings.GetValueOrDefault(provider.Kind) is { } connectionString
                ? ProvisionOutcome.Of(await provider.ConnectAsync(connectionString, cancellationToken))
                : ProvisionOutcome.Refused($"{provider.Kind.Variable} is not set"),
        };
}
