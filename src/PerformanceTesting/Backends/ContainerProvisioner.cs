using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>
/// Starts servers in containers: one engine for all kinds, looked for when first needed. Thread-safe.
/// </summary>
/// <param name="variables">What was asked for.</param>
/// <param name="find">Finds the engine, or says why none answers; the environment's when omitted.</param>
internal sealed class ContainerProvisioner(
    BackendVariables variables, Func<CancellationToken, Task<(IContainerEngine? Engine, string? Refusal)>>? find = null)
        : IDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private (IContainerEngine? Engine, string? Refusal)? _found;

    /// <summary>
    /// Starts a server in a container, or says why not. Images are pulled one at a time; containers start side by side.
    /// </summary>
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
                    $"{kind.ImageVariable} names {named}, but {outcome.Refusal}. Correct it, "
                        + $"or unset {kind.ImageVariable}.");
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

    private async Task<ProvisionOutcome> TryAsync(
        ServerProvider provider, string? named, CancellationToken cancellationToken)
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
            var (engine, refusal) =
                _found ??= await (find ?? (token => DockerEngine.FindAsync(null, token)))(cancellationToken);
            if (engine is null)
            {
                return (null, null, refusal);
            }

            var wanted =
                named is null ? image : image with { Reference = named, Local = null, IsPulledAutomatically = true };
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
