namespace IntegrationTests.Payments;

/// <summary>The reference model.</summary>
public sealed class MemoryPaymentStoreTests() : PaymentStoreConformance(new MemoryPaymentStores());

/// <summary>The suite in memory.</summary>
[Trait("Category", "Integration")]
public sealed class MemoryPaymentDeliveryTests() : PaymentDeliveryConformance(new MemoryPaymentStores());
