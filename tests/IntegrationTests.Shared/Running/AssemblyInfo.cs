using System.Runtime.CompilerServices;

// The provisioning order and the lock's side files are tested without starting a server.
[assembly: InternalsVisibleTo("UnitTests")]
[assembly: InternalsVisibleTo("IntegrationTests")]
