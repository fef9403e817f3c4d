using System.Reflection;
using System.Text.RegularExpressions;
using Workflow.Client;
using Workflow.Contracts.Signals;

namespace FullFeed.Tests.Refit;

/// <summary>The rules that Refit checks at run time, by the attributes of its stand-in.</summary>
public sealed partial class RefitInterfaceTests
{
    public static TheoryData<string> Methods => [.. typeof(IWorkflowApi).GetMethods().Select(method => method.Name)];

    [Theory]
    [MemberData(nameof(Methods))]
    public void Route_is_one_that_refit_accepts(string name)
    {
        var method = typeof(IWorkflowApi).GetMethod(name)!;
        var path = method.GetCustomAttribute<HttpMethodAttribute>()!.Path;
        var parameters = method.GetParameters();

        Assert.StartsWith("/", path, StringComparison.Ordinal);
        var inPath = Placeholder().Matches(path).Select(match => match.Groups[1].Value).Order();
        Assert.Equal(inPath, parameters.Where(p => p.GetCustomAttribute<PathAttribute>() is not null).Select(p => p.Name!).Order());
        Assert.InRange(parameters.Count(p => p.GetCustomAttribute<BodyAttribute>() is not null), 0, 1);
        Assert.Equal(typeof(CancellationToken), Assert.Single(parameters, p => p.ParameterType == typeof(CancellationToken)).ParameterType);
        Assert.Equal(typeof(Task<>), method.ReturnType.GetGenericTypeDefinition());

        // What is marked as nothing would go into the query, or into the body.
        Assert.All(parameters.Where(p => p.ParameterType != typeof(CancellationToken)), p => Assert.Single(
            p.GetCustomAttributes(), a => a is PathAttribute or BodyAttribute or QueryAttribute or HeaderAttribute));
    }

    [Fact]
    public async Task Serializer_writes_and_reads_by_the_rules_of_the_contracts()
    {
        var serializer = new ContractsSerializer();

        using var content = serializer.ToHttpContent(new SendSignal { Name = "resume", CorrelationKey = "k" });

        Assert.Equal("""{"name":"resume","correlationKey":"k"}""", await content.ReadAsStringAsync(Cancel));
        Assert.Equal("application/json", content.Headers.ContentType?.MediaType);
        Assert.NotNull(content.Headers.ContentLength);
        using var answer = new StringContent("""{"id":"01890a5d-ac96-774b-bcce-b302099a8057","delivered":true,"duplicate":false}""");
        Assert.True((await serializer.FromHttpContentAsync<SignalAccepted>(answer, Cancel))?.Delivered);
    }

    [Fact]
    public void Error_of_the_service_becomes_the_clients_own()
    {
        var refused = new ApiException(
            HttpMethod.Post, new Uri("http://service.test/signals"), System.Net.HttpStatusCode.NotFound,
            """{"type":"urn:workflow:instance-not-found","detail":"There is none."}""");

        var error = WorkflowApi.ErrorOf(refused);

        Assert.Equal(("instance-not-found", "There is none."), (error.Code, error.Detail));
        Assert.Same(refused, error.InnerException);
    }

    [Fact]
    public void Base_address_that_refit_would_spoil_is_refused_with_the_way_out()
    {
        using var http = new HttpClient { BaseAddress = new Uri("http://service.test/base/") };

        var error = Assert.Throws<ArgumentException>(() => WorkflowApi.Over(http));

        Assert.Contains(
            "http://service.test/base/ ends with a slash after a path; leave that slash out", error.Message, StringComparison.Ordinal);
    }

    [GeneratedRegex(@"\{(\w+)\}")]
    private static partial Regex Placeholder();
}
