using PerformanceTesting.Backends;
using PerformanceTesting.Backends.PostgreSql;

namespace IntegrationTests.Shared.Backends;

/// <summary>
/// Holds the catalogue of one test process: <c>[assembly: AssemblyFixture(typeof(BackendFixture))]</c> and a
/// constructor parameter of this type. Nothing is started before a test asks. Everything that was started is stopped
/// when the assembly ends.
/// </summary>
public sealed class BackendFixture : IAsyncDisposable
{
    /// <summary>
    /// The catalogue over the environment's variables. Its servers keep their data in memory, since a test of their
    /// behaviour would mostly wait for files.
    /// </summary>
    public BackendCatalog Catalog { get; } = new(
        BackendVariables.FromEnvironment(),
        [new PostgresProvider(inMemory: true), .. BackendCatalog.KnownProviders()]);

    public ValueTask DisposeAsync() => Catalog.DisposeAsync();
}
