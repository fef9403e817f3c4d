namespace Payments.Service.Api;

/// <summary>Serves the gauge in the Prometheus text format.</summary>
internal static class MetricsEndpoint
{
    public static void Map(IEndpointRouteBuilder routes, InFlightGauge inFlight) => routes.MapGet("/metrics", () =>
    {
        var (count, seconds) = inFlight.Read();
        return TypedResults.Text(
            string.Create(CultureInfo.InvariantCulture, $"""
                # HELP payments_in_flight Payments accepted and not completed.
                # TYPE payments_in_flight gauge
                payments_in_flight {count}
                # HELP payments_in_flight_seconds_total Integral of the payments in flight; its rate is their mean number.
                # TYPE payments_in_flight_seconds_total counter
                payments_in_flight_seconds_total {seconds}

                """),
            "text/plain; version=0.0.4");
    });
}
