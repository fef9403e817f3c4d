namespace IntegrationTests.Payments;

/// <summary>The suite in memory.</summary>
public sealed class MemoryPaymentDeliveryTests() : PaymentDeliveryConformance(new MemoryPaymentStores());
