namespace IntegrationTests.Payments;

/// <summary>The reference model.</summary>
public sealed class MemoryPaymentStoreTests() : PaymentStoreConformance(new MemoryPaymentStores());
