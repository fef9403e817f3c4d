using PerformanceTesting.Subjects;

namespace UnitTests.PerformanceTesting;

public sealed class RepeatCommandTests
{
    [Fact]
    public void Repeat_command_names_the_test_and_variables_but_no_address()
    {
        var environment = new Dictionary<string, string>
        {
            ["WORKFLOW_PERF_SIZE"] = "xl",
            ["WORKFLOW_PERF_INJECT"] = "delay:+10%; rm -rf 'x'",
            ["WORKFLOW_PERF_POSTGRES"] = "Host=db;Password=secret",
            ["WORKFLOW_PERF_RESULTS"] = "/somewhere",
        };

        var command = RepeatCommand.Of(
            "tests/PerformanceTests", "A.SmokeTests.Immediate_burst(profile: \"postgres\", hosting: Http)",
            environment.GetValueOrDefault);

        Assert.Equal(
            @"WORKFLOW_PERF_SIZE=xl WORKFLOW_PERF_INJECT='delay:+10%; rm -rf '\''x'\''' dotnet test tests/PerformanceTests "
            + @"--filter 'DisplayName=A.SmokeTests.Immediate_burst\(profile: %22postgres%22, hosting: Http\)'",
            command);
    }

    [Fact]
    public void Command_of_a_tool_is_repeated_in_its_environment() => Assert.Equal(
        "WORKFLOW_PERF_SIZE=xl wfperf run x.dll",
        RepeatCommand.Of("wfperf run x.dll",
            name => name is "WORKFLOW_PERF_SIZE" ? "xl" : name is "WORKFLOW_PERF_KEY" ? "secret" : null));

    [Fact]
    public void What_a_filter_would_read_as_its_own_is_escaped() => Assert.Equal(
        @"dotnet test p --filter 'DisplayName=A\(x: %22a\&b\|c\=d\~e\!f%25%3B\\%22\)'",
        RepeatCommand.Of("p", @"A(x: ""a&b|c=d~e!f%;\"")", _ => null));
}
