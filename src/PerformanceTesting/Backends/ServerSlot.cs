using System.Runtime.ExceptionServices;
using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>The one server of a kind, started when first asked for, as <c>WORKFLOW_PERF_PROVISION</c> says. Thread-safe.</summary>
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

/// <summary>Starts servers in containers: one engine for all kinds, looked for when first needed. Thread-safe.</summary>
/// <param name="variables">What was asked for.</param>
/// <param name="find">Finds the engine, or says why none answers; the environment's when omitted.</param>
internal sealed class ContainerProvisioner(
    BackendVariables variables, Func<CancellationToken, Task<(IContainerEngine? Engine, string? Refusal)>>? find = null) : IDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private (IContainerEngine? Engine, string? Refusal)? _found;

    /// <summary>Starts a server in a container, or says why not. Images are pulled one at a time; containers start side by side.</summary>
    /// <exception cref="BackendException">
    /// An image was named, and no container of it starts; or containers were asked for, and this one does not start.
    /// </exception>
    public async Task<ProvisionOutcome> StartAsync(ServerProvider provider, CancellationToken cancellationToken)
    {
        var (kind, named) = (provider.Kind, variables.Images.GetValueOrDefault(provider.Kind));
        try
        {
            var outcome = await TryAsync(provider, named, cancellationToken);
            return outcome.Refusal is null || named is null
                ? outcome
                : throw new BackendException(
                    $"{kind.ImageVariable} names {named}, but {outcome.Refusal}. Correct it, or unset {kind.ImageVariable}.");
        }
        catch (BackendException exception) when (variables.Provision == ProvisionMode.Auto && named is null)
        {
            return ProvisionOutcome.Refused(exception.Message.Split('\n', 2)[0].TrimEnd()); // What follows is a log.
        }
    }

    public void Dispose()
    {
        _found?.Engine?.Dispose();
        _gate.Dispose();
    }

    private async Task<ProvisionOutcome> TryAsync(ServerProvider provider, string? named, CancellationToken cancellationToken)
    {
        if (provider.Image is not { } image)
        {
            return ProvisionOutcome.Refused($"{provider.Kind.Product} is not started in a container");
        }

        if (provider.MissingDriver is { } missing)
        {
            return ProvisionOutcome.Refused(missing);
        }

        var (engine, reference, refusal) = await FindAsync(image, named, cancellationToken);
        return reference is null
            ? ProvisionOutcome.Refused(refusal!)
            : ProvisionOutcome.Of(await provider.StartContainerAsync(engine!, reference, cancellationToken));
    }

    private async Task<(IContainerEngine? Engine, string? Reference, string? Refusal)> FindAsync(
        ContainerImage image, string? named, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            var (engine, refusal) = _found ??= await (find ?? (token => DockerEngine.FindAsync(null, token)))(cancellationToken);
            if (engine is null)
            {
                return (null, null, refusal);
            }

            var wanted = named is null ? image : image with { Reference = named, Local = null, IsPulledUnasked = true };
            var found = await engine.FindImageAsync(
                wanted, mayTakeMinutes: variables.Provision == ProvisionMode.Container, cancellationToken);
            return (engine, found.Reference, found.Refusal);
        }
        finally
        {
            _gate.Release();
        }
    }
}
