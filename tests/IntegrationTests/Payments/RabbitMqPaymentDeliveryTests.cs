namespace IntegrationTests.Payments;

/// <summary>The suite with events over RabbitMQ.</summary>
[Trait("Category", "Integration")]
public sealed class RabbitMqPaymentDeliveryTests(RabbitMqPaymentStores stores)
    : PaymentDeliveryConformance(stores), IClassFixture<RabbitMqPaymentStores>;
