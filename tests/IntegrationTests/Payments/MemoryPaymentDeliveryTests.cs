namespace IntegrationTests.Payments;

/// <summary>The suite in memory.</summary>
[Trait("Category", "Integration")]
public sealed class MemoryPaymentDeliveryTests() : PaymentDeliveryConformance(new MemoryPaymentStores());
