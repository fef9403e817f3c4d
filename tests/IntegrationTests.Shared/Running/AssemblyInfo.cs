using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Benchmarks")]
[assembly: InternalsVisibleTo("UnitTests")]
[assembly: InternalsVisibleTo("IntegrationTests")]
