namespace PerformanceTesting.Backends.Containers;

/// <summary>The way to a server by a container: one engine for all kinds, looked for when first needed. Thread-safe.</summary>
/// <param name="variables">What was asked for.</param>
/// <param name="find">Finds the engine, or says why none answers; the environment's when omitted.</param>
internal sealed class ContainerWay(
    BackendVariables variables, Func<CancellationToken, Task<(IContainerEngine? Engine, string? Refusal)>>? find = null) : IDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private (IContainerEngine? Engine, string? Refusal)? _found;

    /// <summary>Starts a server in a container, or says why not. Taken in turn: images are pulled one at a time.</summary>
    /// <exception cref="BackendException">An image was named, and there is no container of it to be had; or containers were asked for, and this one does not start.</exception>
    public async Task<ProvisionOutcome> StartAsync(ServerProvider provider, CancellationToken cancellationToken)
    {
        var named = variables.Images.GetValueOrDefault(provider.Kind);
        try
        {
            var outcome = await TryAsync(provider, named, cancellationToken);
            return outcome.Refusal is null || named is null
                ? outcome
                : throw new BackendException($"{provider.Kind.ImageVariable} names {named}, but {outcome.Refusal}. Correct it, or unset {provider.Kind.ImageVariable}.");
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

        await _gate.WaitAsync(cancellationToken);
        try
        {
            var (engine, refusal) = _found ??= await (find ?? (token => ContainerEngines.FindAsync(null, token)))(cancellationToken);
            if (engine is null)
            {
                return ProvisionOutcome.Refused(refusal!);
            }

            var wanted = named is null ? image : image with { Reference = named, Local = null };
            var found = await engine.FindImageAsync(wanted, isPatient: variables.Provision == ProvisionMode.Container, cancellationToken);
            return found.Reference is null
                ? ProvisionOutcome.Refused(found.Refusal!)
                : ProvisionOutcome.Of(await provider.StartContainerAsync(engine, found.Reference, cancellationToken));
        }
        finally
        {
            _gate.Release();
        }
    }
}
