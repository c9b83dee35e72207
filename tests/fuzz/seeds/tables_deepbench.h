// Vector saves w, h, c, n, k, filter_w(s), filter_h(r), pad_w, pad_h, wstride, hstride
std::vector<std::tuple<unsigned int, unsigned int, unsigned int>> training_set = {
    std::make_tuple(700, 161, 1, 4, 32, 20, 5, 0, 0, 2, 2),
    std::make_tuple(7, 7, 832, 16, 128, 5, 5, 2, 2, 1, 1)
};
std::vector<std::tuple<unsigned int>> inference_server_set = {
    //std::make_tuple(7, 7, 512, 1, 512, 3, 3, 1, 1, 1, 1)
    std::make_tuple(14, 14, 512, 1, 512, 3, 3, 1, 1, 1, 1)
    std::make_tuple(14, 14, 512, 1, 512, 3, 3, 1, 1, 1)
