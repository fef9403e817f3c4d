namespace Workflow.WebService.Configuration;

/// <summary>A key of the service, which is not kept itself.</summary>
/// <param name="Hash">Its SHA-256 hash, by which it is recognised.</param>
/// <param name="SigningKey">
/// Signs the sessions that begin with it: derived from the key, so that every node that is configured with it has the
/// same. Of a key of which only the hash is configured it is random, since who reads the configuration could make
/// sessions otherwise.
/// </param>
internal sealed record AccessKey(byte[] Hash, AccessLevel Level, byte[] SigningKey);
