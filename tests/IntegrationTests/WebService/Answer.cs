namespace IntegrationTests.WebService;

/// <summary>Requests as bytes on the wire, and what must be true of every answer that is an error.</summary>
internal static class Answer
{
    public static StringContent Json(string text) => new(text, Encoding.UTF8, "application/json");

    public static Task<HttpResponseMessage> PostAsync(
        this HttpClient http, string path, string json, CancellationToken cancellationToken) =>
        http.PostAsync(path, Json(json), cancellationToken);

    /// <summary>A figure of a service's metrics.</summary>
    public static async Task<double> MetricAsync(this HttpClient http, Uri service, string name)
    {
        var page = await http.GetStringAsync(new Uri(service, "metrics"), Cancel);
        var line = page.Split('\n').Single(l => l.StartsWith(name + " ", StringComparison.Ordinal));
        return double.Parse(line[(name.Length + 1)..], CultureInfo.InvariantCulture);
    }

    /// <summary>
    /// Checks status, media type and code, that the detail or the errors name what they must, and that the detail does
    /// not repeat the errors.
    /// </summary>
    public static async Task<JsonElement> IsProblemAsync(
        HttpResponseMessage response, int status, string code, params string[] named)
    {
        var text = await response.Content.ReadAsStringAsync(Cancel);
        Assert.True(
            (HttpStatusCode)status
                == response.StatusCode, $"Expected {status} {code}, got {(int)response.StatusCode}: {text}");
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        using var document = JsonDocument.Parse(text);
        var problem = document.RootElement.Clone();
        Assert.Equal("urn:workflow:" + code, problem.GetProperty("type").GetString());
        Assert.Equal(status, problem.GetProperty("status").GetInt32());
        Assert.NotEmpty(problem.GetProperty("title").GetString()!);
        var detail = problem.GetProperty("detail").GetString()!;
        var errors = problem.TryGetProperty("errors", out var all) ? all.EnumerateArray().ToList() : [];
        Assert.All(errors, error =>
            Assert.DoesNotContain(error.GetProperty("message").GetString()!, detail, StringComparison.Ordinal));
        var said = string.Join('\n', errors
            .Select(error => $"{error.GetProperty("path")} {error.GetProperty("message")}").Prepend(detail));
        Assert.All(named, part => Assert.Contains(part, said, StringComparison.Ordinal));
        return problem;
    }
}
