namespace Payments.Service.Stores;

/// <summary>
/// The store did not answer, so the outcome of the change is unknown. The message contains no secret.
/// </summary>
internal sealed class StoreUnavailableException(string message, Exception inner) : Exception(message, inner);
