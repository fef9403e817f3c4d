namespace Payments.Service.Stores;

/// <summary>The store did not answer, so that nobody knows whether a change was made. The message holds no secret.</summary>
internal sealed class StoreUnavailableException(string message, Exception inner) : Exception(message, inner);
