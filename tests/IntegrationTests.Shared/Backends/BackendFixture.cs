using PerformanceTesting.Backends;
using PerformanceTesting.Backends.PostgreSql;

namespace IntegrationTests.Shared.Backends;

/// <summary>
/// Holds the catalogue of one test process: <c>[assembly: AssemblyFixture(typeof(BackendFixture))]</c> and a
/// constructor parameter of this type. Nothing is started before a test asks. Everything that was started is stopped
/// when the assembly ends.
/// </summary>
public sealed class BackendFixture : IAsyncLifetime
{
    private BackendCatalog? _catalog;

    /// <summary>
    /// The catalogue over the environment's variables. Its servers keep their data in memory, since a test of their
    /// behaviour would mostly wait for files.
    /// </summary>
    public BackendCatalog Catalog =>
        _catalog
            ?? throw new InvalidOperationException("The fixture is not initialised; take it by a constructor parameter of the test class.");

    public ValueTask InitializeAsync()
    {
        _catalog = new BackendCatalog(
            BackendVariables.FromEnvironment(),
            [new PostgresProvider(inMemory: true), .. BackendCatalog.KnownProviders()]);
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => _catalog?.DisposeAsync() ?? ValueTask.CompletedTask;
}
